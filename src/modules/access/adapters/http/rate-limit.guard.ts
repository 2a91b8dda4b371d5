import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Config } from '../../../../platform/config.js';
import { requestOf } from '../../../../request/request.js';
import { Clock } from '../../../../shared/clock.js';
import { RATE_LIMITED, Refusal } from '../../../../shared/errors.js';

const MAX_BUCKETS = 10_000;

/**
 * Limits requests by a token bucket for each organization and mode. Each instance has its own
 * buckets, because shared ones would cost a round trip.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly buckets = new Map<string, { readonly tokens: number; readonly at: number }>();

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const { apiKey } = requestOf(context);
    const { rateLimitRps: most } = this.config;
    if (most === 0 || apiKey === undefined) return true;
    const { organization, mode, id } = apiKey.state;
    const name = `${organization ?? id} ${mode}`;
    const now = this.clock.monotonic();
    const { tokens, at } = this.buckets.get(name) ?? { tokens: most, at: now };
    const left = Math.min(most, tokens + ((now - at) / 1000) * most);
    this.buckets.set(name, { tokens: left < 1 ? left : left - 1, at: now });
    // The oldest bucket is dropped, and its organization begins again with a full one.
    if (this.buckets.size > MAX_BUCKETS)
      this.buckets.delete(this.buckets.keys().next().value as string);
    if (left < 1) throw rateLimited(most);
    return true;
  }
}

export function rateLimited(rps: number): Refusal {
  return new Refusal(RATE_LIMITED, `More than ${rps} requests in a second.`);
}
