export { bundleForBrowser, type BrowserBundle } from './browsers/browser-bundle.js';
export { startTestChromium } from './browsers/test-chromium.js';
