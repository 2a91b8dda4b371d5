import type { Clock } from '../shared/clock.js';

const MAX_BUCKETS = 10_000;

interface Options {
  readonly perSecond: number;
  readonly clock: Clock;
}

/**
 * Limits what each name does in a second, by a token bucket that holds one second's tokens. Each
 * process has its own buckets, because shared ones would cost a round trip.
 */
export class TokenBuckets {
  private readonly buckets = new Map<string, { readonly tokens: number; readonly at: number }>();

  constructor(private readonly options: Options) {}

  /** Takes a token from the bucket of this name. Returns false if it is empty. */
  take(name: string): boolean {
    const { perSecond, clock } = this.options;
    const now = clock.monotonic();
    const { tokens, at } = this.buckets.get(name) ?? { tokens: perSecond, at: now };
    const left = Math.min(perSecond, tokens + ((now - at) / 1000) * perSecond);
    const isTaken = left >= 1;
    // The map keeps the buckets in the order of their last use.
    this.buckets.delete(name);
    this.buckets.set(name, { tokens: isTaken ? left - 1 : left, at: now });
    this.dropBeyondBound();
    return isTaken;
  }

  /** Drops the bucket that was not used for the longest time. Its name begins with a full one. */
  private dropBeyondBound(): void {
    if (this.buckets.size <= MAX_BUCKETS) return;
    const [oldest = ''] = this.buckets.keys();
    this.buckets.delete(oldest);
  }
}
