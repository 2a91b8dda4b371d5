/**
 * Does the same work again and again, one round at a time. A caller who asks during a round shares
 * the next round, which begins after it.
 */
export class CoalescedRuns<Result> {
  private underWay: Promise<unknown> = Promise.resolve();
  private following: Promise<Result> | undefined;

  constructor(private readonly round: () => Promise<Result>) {}

  next(): Promise<Result> {
    if (this.following) return this.following;
    const next = this.underWay.then(() => {
      this.following = undefined;
      return this.round();
    });
    this.underWay = next.catch(() => undefined);
    this.following = next;
    return next;
  }
}
