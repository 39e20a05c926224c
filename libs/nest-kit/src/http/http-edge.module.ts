import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import type { AuthSettings } from './auth-env.js';
import { AuthGuard } from './auth.guard.js';
import { ProblemFilter } from './problem.filter.js';
import type { RateLimitSettings } from './rate-limit-env.js';
import { RateLimits } from './rate-limits.js';
import { RequestIds } from './request-id.js';
import { TokenVerifier } from './token-verifier.js';
import { UnreadInputGuard } from './unread-input.guard.js';
import { ZodPipe } from './zod.pipe.js';

export interface HttpEdgeSettings {
  readonly auth: AuthSettings;
  /** None when this is not given. */
  readonly rateLimits?: RateLimitSettings;
}

/**
 * What stands between the world and the routes of a service, whatever they are: who asks, how often, whether what was
 * sent has the shape the route takes, and how an error is told. For the whole process, so that no route can do without.
 */
@Module({})
export class HttpEdgeModule {
  static forRoot({ auth, rateLimits }: HttpEdgeSettings): DynamicModule {
    return {
      module: HttpEdgeModule,
      providers: [
        { provide: APP_GUARD, useClass: AuthGuard },
        { provide: APP_GUARD, useClass: UnreadInputGuard },
        { provide: APP_PIPE, useClass: ZodPipe },
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: TokenVerifier, useFactory: () => new TokenVerifier(auth) },
        { provide: RateLimits, useFactory: () => new RateLimits(rateLimits) },
        RequestIds,
      ],
      exports: [TokenVerifier, RateLimits],
    };
  }
}
