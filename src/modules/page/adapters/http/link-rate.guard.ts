import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { requestOf } from '../../../../request/request.js';
import { RATE_LIMITED, Refusal } from '../../../../shared/errors.js';
import { PageLinks } from '../../../checkout/index.js';

const REQUESTS_PER_SECOND = 20;
/**
 * Links share at most 64³ counts, each freed after a second, which bounds memory. Nobody can choose
 * a token.
 */
const COUNTED_LETTERS = 3;

/**
 * Limits the requests for each link, because they need no key. Wrong tokens cost nothing and are
 * not counted.
 */
@Injectable()
export class LinkRateGuard implements CanActivate {
  private readonly limiter = new RateLimiterMemory({ points: REQUESTS_PER_SECOND, duration: 1 });

  constructor(private readonly links: PageLinks) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { token } = requestOf<FastifyRequest<{ Params: { token: string } }>>(context).params;
    if (!this.links.read(token)) return true;
    await this.limiter.consume(token.slice(0, COUNTED_LETTERS)).catch(() => {
      throw new Refusal(RATE_LIMITED, `More than ${REQUESTS_PER_SECOND} requests in a second.`);
    });
    return true;
  }
}
