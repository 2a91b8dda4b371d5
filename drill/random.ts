/** Draws numbers that follow from a seed (mulberry32). */
export class Random {
  constructor(private state: number) {}

  /** Returns a number from 0 to 1, without 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let value = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer from 0 to the bound, without the bound. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  /** Returns an item, or undefined if the list is empty. */
  of<Item>(items: readonly Item[]): Item | undefined {
    return items[this.below(items.length)];
  }
}
