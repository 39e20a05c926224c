import { TestEnvironment } from 'jest-environment-jsdom';

const OF_NODE = [
  ...['fetch', 'Headers', 'Request', 'Response', 'ReadableStream', 'TextDecoder', 'TextEncoder', 'Uint8Array'],
  ...['AbortController', 'AbortSignal', 'performance', 'structuredClone'],
];

export default class DomEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    for (const name of OF_NODE) this.global[name] = globalThis[name];
  }
}
