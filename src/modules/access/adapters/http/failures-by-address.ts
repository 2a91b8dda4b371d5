import { Injectable } from '@nestjs/common';
import { clientOf } from '../../../../request/client-address.js';
import { TokenBuckets } from '../../../../request/token-buckets.js';
import { Clock } from '../../../../shared/clock.js';
import { RATE_LIMITED, Refusal } from '../../../../shared/errors.js';

/** Each failure costs a database look-up. */
const FAILURES_PER_SECOND = 20;

@Injectable()
export class FailuresByAddress {
  private readonly failures: TokenBuckets;

  constructor(clock: Clock) {
    this.failures = new TokenBuckets({ perSecond: FAILURES_PER_SECOND, clock });
  }

  /** Counts a key that was not found. Refuses with rate_limited beyond the limit. */
  count(address: string): void {
    const client = clientOf(address);
    if (client === undefined || this.failures.take(client)) return;
    throw new Refusal(RATE_LIMITED, `More than ${FAILURES_PER_SECOND} unknown keys in a second.`);
  }
}
