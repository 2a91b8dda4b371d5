import type { ClaimedDelivery } from '../../application/ports.js';

interface UnderWay {
  readonly owner: string;
  readonly isFailing: boolean;
  readonly since: number;
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

/** The attempts of this process, counted by owner and receiver. */
export class AttemptsUnderWay {
  private readonly all = new Set<UnderWay>();
  private readonly counts = new Map<string, number>();
  private failing = 0;
  private endedAll: Error | undefined;

  get size(): number {
    return this.all.size;
  }

  get failingSize(): number {
    return this.failing;
  }

  ofOwner(owner: string): number {
    return this.counts.get(owner) ?? 0;
  }

  ofReceiver(owner: string, receiver: string): number {
    return this.counts.get(`${owner} ${receiver}`) ?? 0;
  }

  start(
    { owner, receiver }: ClaimedDelivery,
    isFailing: boolean,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const abort = new AbortController();
    this.count(owner, receiver, isFailing, 1);
    const done = work(abort.signal).finally(() => {
      this.all.delete(one);
      this.count(owner, receiver, isFailing, -1);
    });
    const one: UnderWay = { owner, isFailing, since: performance.now(), abort, done };
    this.all.add(one);
    if (this.endedAll) abort.abort(this.endedAll);
    return done;
  }

  /**
   * Ends up to `count` attempts that are older than `minAgeMs`, so that waiting deliveries need not wait for receivers that do
   * not respond. It takes the oldest attempt of the owner with the most attempts, one at a time.
   */
  endLongest(count: number, minAgeMs: number, reason: Error): void {
    const longest = performance.now() - minAgeMs;
    const most = new Map<string, number>();
    for (const { owner } of this.all) most.set(owner, this.ofOwner(owner));
    for (let ended = 0; ended < count; ended++) {
      const candidates = [...this.all].filter(({ since, abort }) => since <= longest && !abort.signal.aborted);
      const left = (one: UnderWay) => most.get(one.owner) ?? 0;
      const [first, ...others] = candidates;
      if (!first) return;
      const victim = others.reduce((best, one) => (left(one) > left(best) ? one : best), first);
      most.set(victim.owner, left(victim) - 1);
      victim.abort.abort(reason);
    }
  }

  /** Ends all attempts, and any that are started later. */
  endAll(reason: Error): void {
    this.endedAll = reason;
    for (const { abort } of this.all) abort.abort(reason);
  }

  async idle(): Promise<void> {
    while (this.all.size > 0) await Promise.allSettled([...this.all].map(({ done }) => done));
  }

  private count(owner: string, receiver: string, isFailing: boolean, by: 1 | -1): void {
    if (isFailing) this.failing += by;
    for (const key of [owner, `${owner} ${receiver}`]) {
      const left = (this.counts.get(key) ?? 0) + by;
      if (left === 0) this.counts.delete(key);
      else this.counts.set(key, left);
    }
  }
}
