import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { requestOf } from '../../../../request/request.js';
import { TokenBuckets } from '../../../../request/token-buckets.js';
import { Clock } from '../../../../shared/clock.js';
import { RATE_LIMITED, Refusal } from '../../../../shared/errors.js';
import { PageLinks } from '../../../checkout/index.js';

const REQUESTS_PER_SECOND = 20;

/**
 * Limits the requests for each link, because they need no key. Wrong tokens cost nothing and are
 * not counted.
 */
@Injectable()
export class LinkRateGuard implements CanActivate {
  private readonly requests: TokenBuckets;

  constructor(
    private readonly links: PageLinks,
    clock: Clock,
  ) {
    this.requests = new TokenBuckets({ perSecond: REQUESTS_PER_SECOND, clock });
  }

  canActivate(context: ExecutionContext): boolean {
    const { token } = requestOf<FastifyRequest<{ Params: { token: string } }>>(context).params;
    if (!this.links.read(token) || this.requests.take(token)) return true;
    throw new Refusal(RATE_LIMITED, `More than ${REQUESTS_PER_SECOND} requests in a second.`);
  }
}
