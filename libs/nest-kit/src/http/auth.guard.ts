import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Forbidden, Unauthenticated } from './auth-errors.js';
import { isOpen } from './open.js';
import { type HeaderReply, RateLimits } from './rate-limits.js';
import { type Identity, type Scope, TokenVerifier } from './token-verifier.js';

interface AuthenticatedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly ip: string;
  caller?: Identity;
}

const NEEDS = Symbol('scope');

/** The scope a route needs, where its method does not tell: without this, GET reads and everything else writes. */
export const Needs = (scope: Scope): MethodDecorator => SetMetadata(NEEDS, scope);

@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly tokens: TokenVerifier,
    private readonly limits: RateLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (isOpen(context.getHandler(), context.getClass())) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    const reply = http.getResponse<HeaderReply>();
    const caller = await this.verified(request, reply);
    const needed = scopeOf(context.getHandler(), request.method);
    this.limits.take(needed === 'runs:read' ? 'reads' : 'writes', caller.tenantId, reply);
    if (!caller.scopes.has(needed)) throw new Forbidden(`The token lacks the scope ${needed}`);
    request.caller = caller;
    return true;
  }

  private async verified(request: AuthenticatedRequest, reply: HeaderReply): Promise<Identity> {
    try {
      return await this.tokens.verify(bearerIn(request));
    } catch (error) {
      if (error instanceof Unauthenticated) this.limits.take('unknown', request.ip, reply);
      throw error;
    }
  }
}

/** Who asks. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Identity => {
  const { caller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!caller) throw new Unauthenticated('This route needs a token');
  return caller;
});

const scopeOf = (handler: object, method: string): Scope => {
  const named = Reflect.getMetadata(NEEDS, handler) as Scope | undefined;
  return named ?? (method === 'GET' || method === 'HEAD' ? 'runs:read' : 'runs:write');
};

const bearerIn = ({ headers }: AuthenticatedRequest): string => {
  const { authorization } = headers;
  const [, token] = (typeof authorization === 'string' && /^Bearer +([\w.~+/=-]+)$/i.exec(authorization)) || [];
  if (token === undefined) throw new Unauthenticated('A bearer token is needed');
  return token;
};
