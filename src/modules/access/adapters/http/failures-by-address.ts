import { hash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { clientOf } from '../../../../request/client-address.js';
import { RATE_LIMITED, Refusal } from '../../../../shared/errors.js';

/**
 * Each failure costs a database look-up. After a second, the count of an address and its memory are
 * freed.
 */
const FAILURES_PER_SECOND = 20;
/**
 * Addresses share at most 65,536 buckets, which bounds memory. The secret salt keeps clients from
 * choosing a bucket.
 */
const BUCKET_DIGITS = 4;
const SALT = randomUUID();

@Injectable()
export class FailuresByAddress {
  private readonly limiter = new RateLimiterMemory({ points: FAILURES_PER_SECOND, duration: 1 });

  /** Counts a key that was not found. Refuses with rate_limited beyond the limit. */
  async count(address: string): Promise<void> {
    const client = clientOf(address);
    if (client === undefined) return;
    const bucket = hash('sha256', SALT + client).slice(0, BUCKET_DIGITS);
    await this.limiter.consume(bucket).catch(() => {
      throw new Refusal(RATE_LIMITED, `More than ${FAILURES_PER_SECOND} unknown keys in a second.`);
    });
  }
}
