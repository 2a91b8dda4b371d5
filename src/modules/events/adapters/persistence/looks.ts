/** Looks at something that changes, one look at a time. Who asks while one is under way shares the next, which begins after it. */
export class Looks<Seen> {
  private underWay: Promise<unknown> = Promise.resolve();
  private next: Promise<Seen> | undefined;

  constructor(private readonly look: () => Promise<Seen>) {}

  ask(): Promise<Seen> {
    if (this.next) return this.next;
    const next = this.underWay.then(() => {
      this.next = undefined;
      return this.look();
    });
    this.underWay = next.catch(() => undefined);
    this.next = next;
    return next;
  }
}
