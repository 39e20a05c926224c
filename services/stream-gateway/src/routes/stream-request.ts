import { LastEventId } from '@millrace/contracts';
import { RequestInvalid } from '@millrace/nest-kit/http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { ShownAtTheDoor } from '../access/stream-access.js';

/** What a stream needs of Fastify's request and reply. */
export interface StreamRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}
export interface StreamReply {
  readonly raw: ServerResponse;
  header(name: string, value: string): unknown;
  getHeaders(): Record<string, unknown>;
  status(code: number): { send(): unknown };
  hijack(): unknown;
}

export const shownIn = ({ url, headers }: StreamRequest, ticket?: string): ShownAtTheDoor => ({
  authorization: headers.authorization,
  ticket,
  cookie: headers.cookie,
  path: url.split('?', 1)[0] ?? url,
});

/** The header a browser sends by itself when it comes back. */
export const lastEventIdIn = <T extends z.ZodType>({ headers }: StreamRequest, schema: T): z.infer<T> => {
  const parsed = schema.safeParse(headers['last-event-id']);
  if (!parsed.success) throw RequestInvalid.of(parsed.error, 'Last-Event-ID');
  return parsed.data;
};

/**
 * The number of the first event wanted. A browser that comes back repeats the address it was given, `fromSeq` and all,
 * and adds what it has seen since: so `Last-Event-ID` counts when there are both.
 */
export const firstWanted = (request: StreamRequest, fromSeq = 0): number => {
  const last = lastEventIdIn(request, LastEventId);
  return last === undefined ? fromSeq : last + 1;
};
