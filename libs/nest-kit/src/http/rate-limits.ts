import { PlatformError } from '@millrace/kernel';
import type { RateLimitSettings } from './rate-limit-env.js';
import { TokenBuckets } from './token-buckets.js';

type Policy = keyof RateLimitSettings;

/** More was asked than may be. */
export class RateLimited extends PlatformError {
  readonly code = 'RATE_LIMITED';
  readonly redelivery = 'retry';

  constructor(
    policy: Policy,
    readonly retryAfterSeconds: number,
  ) {
    super(`More ${policy} requests than a minute may have`);
  }
}

export interface HeaderReply {
  header(name: string, value: string): unknown;
}

/**
 * Per tenant once a token is verified, per address for what shows none that is good; so nobody is turned away for what
 * others behind the same address do. Says with each answer how much is left (draft-ietf-httpapi-ratelimit-headers).
 */
export class RateLimits {
  readonly #buckets: Readonly<Record<Policy, TokenBuckets>> | undefined;

  constructor(
    /** Without them nothing is limited. */
    settings: RateLimitSettings | undefined,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.#buckets = settings && {
      reads: new TokenBuckets(settings.reads),
      writes: new TokenBuckets(settings.writes),
      unknown: new TokenBuckets(settings.unknown),
    };
  }

  take(policy: Policy, key: string, reply: HeaderReply): void {
    const buckets = this.#buckets?.[policy];
    if (buckets === undefined) return;
    const { isAllowed, remaining, fullInSeconds, nextInSeconds } = buckets.take(key, this.nowMs());
    reply.header('ratelimit-policy', `"${policy}";q=${buckets.perMinute};w=60`);
    reply.header('ratelimit', `"${policy}";r=${remaining};t=${fullInSeconds}`);
    if (!isAllowed) throw new RateLimited(policy, nextInSeconds);
  }
}
