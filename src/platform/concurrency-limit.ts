/** Bounds how much each name may hold at a time, and how much all names may hold together. */
export class ConcurrencyLimit {
  private readonly held = new Map<string, number>();
  private all = 0;

  constructor(
    private readonly most: number,
    private readonly mostOfAll = Number.POSITIVE_INFINITY,
  ) {}

  /** Tells whether this name may hold one more. That one then counts until it is given back. */
  take(name: string): boolean {
    const held = this.held.get(name) ?? 0;
    if (held >= this.most || this.all >= this.mostOfAll) return false;
    this.held.set(name, held + 1);
    this.all += 1;
    return true;
  }

  giveBack(name: string): void {
    const left = (this.held.get(name) as number) - 1;
    if (left > 0) this.held.set(name, left);
    else this.held.delete(name);
    this.all -= 1;
  }
}
