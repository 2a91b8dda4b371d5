import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Config } from '../../../../platform/config.js';
import { requestOf } from '../../../../request/request.js';
import { Clock } from '../../../../shared/clock.js';
import { RATE_LIMITED, Refusal } from '../../../../shared/errors.js';

const MAX_BUCKETS = 10_000;

interface Bucket {
  tokens: number;
  at: number;
}

/** A token bucket for each organization and mode. Each instance has its own: shared buckets would cost a round trip. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const { apiKey } = requestOf(context);
    if (this.config.rateLimitRps === 0 || apiKey === undefined) return true;
    const { organization, mode, id } = apiKey.state;
    if (!this.take(`${organization ?? id} ${mode}`)) throw rateLimited(this.config.rateLimitRps);
    return true;
  }

  private take(name: string): boolean {
    const now = this.clock.monotonic();
    const { rateLimitRps } = this.config;
    const bucket = this.buckets.get(name) ?? this.fill(name, now);
    bucket.tokens = Math.min(rateLimitRps, bucket.tokens + ((now - bucket.at) / 1000) * rateLimitRps);
    bucket.at = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  /** Above MAX_BUCKETS the oldest bucket is dropped. Its organization begins again with a full one. */
  private fill(name: string, at: number): Bucket {
    const bucket = { tokens: this.config.rateLimitRps, at };
    this.buckets.set(name, bucket);
    if (this.buckets.size > MAX_BUCKETS) this.buckets.delete(this.buckets.keys().next().value as string);
    return bucket;
  }
}

export function rateLimited(rps: number): Refusal {
  return new Refusal(RATE_LIMITED, `More than ${rps} requests in a second.`);
}
