import { hash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Refusal } from '../../../../shared/errors.js';
import { RATE_LIMITED } from './rate-limit.guard.js';

/** Each failure may cost a database lookup. After a second, the count of an address and its memory are freed. */
const FAILURES_PER_SECOND = 20;
/** Addresses share at most 65,536 buckets, which bounds memory. The secret salt keeps clients from choosing a bucket. */
const BUCKET_DIGITS = 4;
const SALT = randomUUID();

@Injectable()
export class FailuresByAddress {
  private readonly limiter = new RateLimiterMemory({ points: FAILURES_PER_SECOND, duration: 1 });

  /** Counts a failure before the lookup, so that concurrent requests cannot pass the limit. Refuses with rate_limited. */
  async count(address: string): Promise<void> {
    const client = clientOf(address);
    if (client === undefined) return;
    await this.limiter.consume(client).catch(() => {
      throw new Refusal(RATE_LIMITED, `More than ${FAILURES_PER_SECOND} unknown keys in a second.`);
    });
  }

  /** Takes back a failure that was counted for a key that turned out to be valid. */
  async uncount(address: string): Promise<void> {
    const client = clientOf(address);
    if (client !== undefined) await this.limiter.reward(client);
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
