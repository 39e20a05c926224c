import type { Call, Query, Transport } from '../http/transport.js';

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface CreateOptions extends RequestOptions {
  /** Names this creation: whoever repeats it with the same key gets the same answer. One is made when none is given. */
  readonly idempotencyKey?: string | undefined;
}

/** The three ways a route is called. Every one may be repeated: each order means the same when it comes twice. */
export class Requests {
  constructor(private readonly transport: Transport) {}

  read<T>(path: string, { signal }: RequestOptions = {}, query: Query = {}): Promise<T> {
    return this.transport.send({ method: 'GET', path, query, signal, repeatable: true });
  }

  order<T>(path: string, body: unknown, { signal }: RequestOptions = {}): Promise<T> {
    return this.transport.send({ method: 'POST', path, body, signal, repeatable: true });
  }

  create<T>(path: string, body: unknown, { signal, idempotencyKey = newKey() }: CreateOptions = {}): Promise<T> {
    const call: Call = { method: 'POST', path, body, signal, repeatable: true };
    return this.transport.send({ ...call, headers: { 'idempotency-key': idempotencyKey } });
  }
}

/** Ids are checked by the server; here they only must not lead to another route. */
export const segment = (id: string): string => encodeURIComponent(id);

/** Not `randomUUID`: browsers have that on secure origins only. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
