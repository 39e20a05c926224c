import { createHash } from 'node:crypto';

/**
 * A digest of WebCrypto is made by another thread and comes whenever that is done: real time would get into virtual time.
 * Until the answer is called the same digests are there at once.
 */
export const digestsAtOnce = (): (() => void) => {
  const { subtle } = globalThis.crypto;
  const digest = async (_: unknown, data: Uint8Array): Promise<ArrayBuffer> =>
    Uint8Array.from(createHash('sha256').update(data).digest()).buffer;
  Object.defineProperty(subtle, 'digest', { value: digest, configurable: true, writable: true });
  return () => void Reflect.deleteProperty(subtle, 'digest'); // the prototype's own is seen again
};
