import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** What an answer of ours may load in a browser: nothing. A route that answers with a page has a header of its own. */
const NOTHING = { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] };

const ALLOWED_HEADERS = ['authorization', 'content-type', 'idempotency-key', 'last-event-id', 'x-request-id'];
const EXPOSED_HEADERS = ['x-request-id', 'retry-after', 'ratelimit', 'ratelimit-policy'];
const PREFLIGHT_SECONDS = 600;

/**
 * What browsers are told with every answer, streams and errors included: what they may do with it, and whose pages may
 * read it. Before the application is initialised.
 */
export function tellBrowsers(app: NestFastifyApplication, origins: readonly string[]): void {
  app.useSecurityHeaders({
    contentSecurityPolicy: { useDefaults: false, directives: NOTHING },
    xFrameOptions: { action: 'deny' },
  });
  if (origins.length === 0) return;
  app.enableCors({
    // Not the list itself: then all headers but one would be sent to everybody, that for credentials included.
    origin: (origin, decide) => decide(null, origins.includes(origin ?? '')),
    credentials: true, // a stream is opened with a cookie
    methods: ['GET', 'HEAD', 'POST'],
    allowedHeaders: ALLOWED_HEADERS,
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
    strictPreflight: false, // what is no preflight is answered like any other request
  });
}
