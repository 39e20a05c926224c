import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { isOpen } from './open.js';
import { RequestInvalid } from './request-invalid.js';

interface Sent {
  readonly query?: unknown;
  readonly body?: unknown;
}

/** As Nest numbers where a parameter of a route comes from. */
const PLACES = { body: 3, query: 4 } as const;

/**
 * What a route reads is parsed by its schema, which refuses what it does not know. This refuses all that is sent to a
 * route that reads nothing there: who sent it expects something of it, and would wait in vain.
 */
@Injectable()
export class UnreadInputGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const [controller, handler] = [context.getClass(), context.getHandler()];
    if (isOpen(handler, controller)) return true; // whoever probes our health may add what it likes
    const read = Object.keys((Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler.name) ?? {}) as object);
    const sent = context.switchToHttp().getRequest<Sent>();
    const unread = (['body', 'query'] as const)
      .filter((place) => !read.some((key) => key.startsWith(`${PLACES[place]}:`)))
      .flatMap((place) => fieldsOf(sent[place], place));
    if (unread.length > 0) throw new RequestInvalid(unread.map((field) => ({ field, message: 'is not known here' })));
    return true;
  }
}

const fieldsOf = (value: unknown, place: string): string[] => {
  if (value === undefined || value === null) return [];
  return typeof value === 'object' && !Array.isArray(value) ? Object.keys(value).slice(0, MOST_NAMED) : [place];
};

const MOST_NAMED = 20;
