/** Follows what the workers do at the moment, as far as their requests show it. */

/** An answer of Tillgate that is about no single refund. */
export interface Heard {
  readonly worker: number;
  readonly isClaim: boolean;
  /** The refunds that a claim has given. */
  readonly refunds: readonly string[];
  /** The worker asked in this hour. */
  readonly hour: number;
}

export class Activity {
  /**
   * Rises with each kind of request about a refund that a worker makes for the first time since the
   * clock moved.
   */
  work = 0;
  /** It is true after the first request of any worker to Tillgate. */
  wasAsked = false;
  /** Rises when the clock moves, and when the evening comes. */
  hour = 0;
  private readonly worked = new Set<string>();
  /** These workers ask for work by claims. No other answer tells such a worker about new work. */
  private readonly claiming = new Set<number>();
  /** These workers were told in this hour that there is no work. */
  private readonly idle = new Set<number>();
  /**
   * The refunds on which each worker may act next: it was given them, or has found no payout of
   * them, and has sent nothing since.
   */
  private readonly next = new Map<number, Set<string>>();

  /** `onRequest` is called for each request that a worker sends. */
  constructor(readonly onRequest: () => void) {}

  countAnew(): void {
    this.hour += 1;
    this.idle.clear();
    this.worked.clear();
  }

  /** Tells whether the worker has asked for work in this hour, and there was none for it. */
  isIdle(worker: number): boolean {
    return this.idle.has(worker);
  }

  /**
   * Tells whether the worker may be about to continue with a refund, if it works on several at
   * once.
   */
  mayGoOn(worker: number): boolean {
    return (this.next.get(worker)?.size ?? 0) > 0;
  }

  mayActOn(worker: number, refunds: readonly string[]): void {
    const next = this.next.get(worker) ?? new Set();
    for (const refund of refunds) next.add(refund);
    this.next.set(worker, next);
  }

  /** Notes what Tillgate has told a worker. */
  hears({ worker, isClaim, refunds, hour }: Heard): void {
    if (isClaim) this.claiming.add(worker);
    this.mayActOn(worker, refunds);
    if (refunds.length > 0) this.idle.delete(worker);
    else if (hour === this.hour && isClaim === this.claiming.has(worker)) this.idle.add(worker);
  }

  /** Notes that a request of the worker about the refund has arrived. */
  goesOn(worker: number, refund: string): void {
    this.next.get(worker)?.delete(refund);
  }

  /** Counts a kind of request once: a repetition is no work before the clock has moved. */
  works(worker: number, refund: string, kind: string): void {
    const work = `${worker} ${refund} ${kind}`;
    if (this.worked.has(work)) return;
    this.worked.add(work);
    this.work += 1;
  }

  killed(worker: number): void {
    this.idle.delete(worker);
    this.next.delete(worker);
  }
}
