import { hash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Refusal } from '../../../../shared/errors.js';
import { RATE_LIMITED } from './rate-limit.guard.js';

/** Each may cost a look at the database. A second later an address is forgotten, and so is the memory it took. */
const FAILURES_PER_SECOND = 20;
/** Addresses share 65,536 buckets at most, and nobody can tell with whom. */
const BUCKET_DIGITS = 4;
const SALT = randomUUID();

@Injectable()
export class FailuresByAddress {
  private readonly limiter = new RateLimiterMemory({ points: FAILURES_PER_SECOND, duration: 1 });

  /** Counts a failure before it is one: of many at once, no more than the limit get past here. Refuses with rate_limited. */
  async expect(address: string): Promise<void> {
    const client = clientOf(address);
    if (client === undefined) return;
    await this.limiter.consume(client).catch(() => {
      throw new Refusal(RATE_LIMITED, `More than ${FAILURES_PER_SECOND} unknown keys in a second.`);
    });
  }

  async forgive(address: string): Promise<void> {
    const client = clientOf(address);
    if (client !== undefined) await this.limiter.reward(client);
  }
}

/** The address, or the network of 64 bits that an IPv6 client chooses its own from. Undefined on this machine. */
function clientOf(text: string): string | undefined {
  if (!ipaddr.isValid(text)) return 'unknown';
  const address = ipaddr.process(text);
  if (address.range() === 'loopback') return undefined;
  const client = address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString();
  return hash('sha256', SALT + client).slice(0, BUCKET_DIGITS);
}
