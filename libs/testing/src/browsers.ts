export { bundleForBrowser, type BrowserBundle } from './browsers/browser-bundle.js';
