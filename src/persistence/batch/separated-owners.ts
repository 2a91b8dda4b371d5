/** An owner is separated for so long. */
const SEPARATED_MS = 1_000;
const MAX_SEPARATED = 1_000;

/**
 * Remembers the owners whose changes go in statements of their own for a while, because one of
 * their changes was refused among those of others, or waited for a lock.
 */
export class SeparatedOwners {
  private readonly ends = new Map<string, number>();

  add(owner: string): void {
    if (this.ends.size >= MAX_SEPARATED) this.ends.clear();
    this.ends.set(owner, performance.now() + SEPARATED_MS);
  }

  has(owner: string): boolean {
    const end = this.ends.get(owner);
    if (end === undefined) return false;
    if (end > performance.now()) return true;
    this.ends.delete(owner);
    return false;
  }
}
