import { PlatformError } from '@millrace/kernel';
import { HttpAdapterHost } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** The address is right, and the method is not. */
export class MethodNotAllowed extends PlatformError {
  readonly code = 'METHOD_NOT_ALLOWED';
  readonly redelivery = 'park';

  constructor(readonly allowed: readonly string[]) {
    super(`Only ${allowed.join(', ')} can be sent here`);
  }
}

interface Route {
  readonly method: string | readonly string[];
  readonly url: string;
}
interface Asked {
  readonly is404: boolean;
  readonly method: string;
  readonly url: string;
}
interface Server {
  addHook(name: 'onRoute', hook: (route: Route) => void): void;
  addHook(name: 'onRequest', hook: (asked: Asked, reply: unknown, done: (error?: Error) => void) => void): void;
}

/**
 * For Fastify a known path with another method is one that is not there; who asks should hear that only the method is
 * wrong. Before the application is initialised, since the routes are noted as they are made.
 */
export function tellAllowedMethods(app: NestFastifyApplication): void {
  const server = app.get(HttpAdapterHost).httpAdapter.getInstance<Server>();
  const methods = new Map<string, Set<string>>();
  server.addHook('onRoute', ({ method, url }) => {
    methods.set(url, new Set([...(methods.get(url) ?? []), ...[method].flat()]));
  });
  server.addHook('onRequest', ({ is404, method, url }, _reply, done) => {
    if (!is404 || method === 'OPTIONS') return done(); // a preflight is answered by the rules for browsers, or not at all
    const [path = ''] = url.split('?', 1);
    const allowed = [...methods].filter(([pattern]) => fits(path, pattern)).flatMap(([, known]) => [...known]);
    done(allowed.length === 0 ? undefined : new MethodNotAllowed([...new Set(allowed)].sort()));
  });
}

const fits = (path: string, pattern: string): boolean => {
  const asked = path.split('/');
  const known = pattern.split('/');
  return (
    asked.length === known.length && known.every((part, at) => (part.startsWith(':') ? asked[at] : part === asked[at]))
  );
};
