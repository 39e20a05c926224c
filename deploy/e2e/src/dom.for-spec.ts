import { JSDOM } from 'jsdom';

/** A document to draw into; everything else (fetch, streams, signals) stays Node's. To be called before React is loaded. */
export const openDom = (url: string): void => {
  const { window } = new JSDOM('<!doctype html><body></body>', { url, pretendToBeVisual: true });
  const { document, HTMLElement, MutationObserver, Node } = window;
  // Services take their time: most of what they say comes while no act() waits for it.
  process.env['RTL_SKIP_AUTO_CLEANUP'] = 'true';
  Object.assign(globalThis, { window, document, HTMLElement, MutationObserver, Node });
};
