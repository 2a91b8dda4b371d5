import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Config } from '../../../../platform/config.js';
import { requestOf } from '../../../../request/request.js';
import { TokenBuckets } from '../../../../request/token-buckets.js';
import { Clock } from '../../../../shared/clock.js';
import { RATE_LIMITED, Refusal } from '../../../../shared/errors.js';

/** Limits the requests of each organization and mode. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly perSecond: number;
  private readonly requests: TokenBuckets;

  constructor(config: Config, clock: Clock) {
    this.perSecond = config.rateLimitRps;
    this.requests = new TokenBuckets({ perSecond: this.perSecond, clock });
  }

  canActivate(context: ExecutionContext): boolean {
    const { apiKey } = requestOf(context);
    if (this.perSecond === 0 || apiKey === undefined) return true;
    const { organization, mode, id } = apiKey.state;
    if (!this.requests.take(`${organization ?? id} ${mode}`)) throw rateLimited(this.perSecond);
    return true;
  }
}

export function rateLimited(rps: number): Refusal {
  return new Refusal(RATE_LIMITED, `More than ${rps} requests in a second.`);
}
