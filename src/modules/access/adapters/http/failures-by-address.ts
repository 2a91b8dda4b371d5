import { hash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { RATE_LIMITED, Refusal } from '../../../../shared/errors.js';

/** Each failure costs a database look-up. After a second, the count of an address and its memory are freed. */
const FAILURES_PER_SECOND = 20;
/** Addresses share at most 65,536 buckets, which bounds memory. The secret salt keeps clients from choosing a bucket. */
const BUCKET_DIGITS = 4;
const SALT = randomUUID();

@Injectable()
export class FailuresByAddress {
  private readonly limiter = new RateLimiterMemory({ points: FAILURES_PER_SECOND, duration: 1 });

  /** Counts a key that was not found. Refuses with rate_limited beyond the limit. */
  async count(address: string): Promise<void> {
    const client = clientOf(address);
    if (client === undefined) return;
    await this.limiter.consume(client).catch(() => {
      throw new Refusal(RATE_LIMITED, `More than ${FAILURES_PER_SECOND} unknown keys in a second.`);
    });
  }
}

/** The bucket of an IPv4 address or of an IPv6 /64 network, within which a client can choose its address. Undefined for loopback. */
function clientOf(text: string): string | undefined {
  if (!ipaddr.isValid(text)) return 'unknown';
  const address = ipaddr.process(text);
  if (address.range() === 'loopback') return undefined;
  const client = address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString();
  return hash('sha256', SALT + client).slice(0, BUCKET_DIGITS);
}
