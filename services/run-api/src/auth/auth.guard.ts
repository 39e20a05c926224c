import { HealthController } from '@millrace/nest-kit';
import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Caller as CallerOf } from '@millrace/application';
import { OpenApiController } from '../openapi/openapi.controller.js';
import { Forbidden, Unauthenticated } from './auth-errors.js';
import { type Identity, type Scope, TokenVerifier } from './token-verifier.js';

interface AuthenticatedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  caller?: Identity;
}

/** Everything else needs a token, so that a new route cannot be left open by forgetting something. */
const OPEN: ReadonlySet<unknown> = new Set([HealthController, OpenApiController]);

@Injectable()
export class AuthGuard implements CanActivate {
  constructor(private readonly tokens: TokenVerifier) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (OPEN.has(context.getClass())) return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const caller = await this.tokens.verify(bearerIn(request));
    const needed: Scope = request.method === 'GET' || request.method === 'HEAD' ? 'runs:read' : 'runs:write';
    if (!caller.scopes.has(needed)) throw new Forbidden(`The token lacks the scope ${needed}`);
    request.caller = caller;
    return true;
  }
}

/** Who asks. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): CallerOf => {
  const { caller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!caller) throw new Unauthenticated('This route needs a token');
  return caller;
});

const bearerIn = ({ headers }: AuthenticatedRequest): string => {
  const { authorization } = headers;
  const [, token] = (typeof authorization === 'string' && /^Bearer +([\w.~+/=-]+)$/i.exec(authorization)) || [];
  if (token === undefined) throw new Unauthenticated('A bearer token is needed');
  return token;
};
