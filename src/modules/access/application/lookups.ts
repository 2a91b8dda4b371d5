import type { Clock } from '../../../shared/clock.js';

interface Cached<Value> {
  readonly since: number;
  value: Value | Promise<Value>;
}

/** What was looked up within the last `maxAge` milliseconds. Beyond `maxSize` entries, the oldest are dropped. */
export class Lookups<Value> {
  private readonly cache = new Map<string, Cached<Value>>();

  constructor(
    private readonly clock: Clock,
    private readonly maxAge: number,
    private readonly maxSize: number,
  ) {}

  /** Concurrent calls share one lookup. Its age counts from its start. A failed lookup is not cached. */
  get(name: string, lookUp: () => Promise<Value>): Value | Promise<Value> {
    const now = this.clock.monotonic();
    const found = this.cache.get(name);
    if (found && now - found.since < this.maxAge) return found.value;
    const value = lookUp();
    const entry: Cached<Value> = { since: now, value };
    this.keep(name, entry);
    value.then(
      (result) => {
        entry.value = result;
      },
      () => this.cache.delete(name),
    );
    return value;
  }

  keep(name: string, entry: Cached<Value>): void {
    this.cache.delete(name);
    this.cache.set(name, entry);
    if (this.cache.size > this.maxSize) this.cache.delete(this.cache.keys().next().value as string);
  }

  has(name: string): boolean {
    return this.cache.has(name);
  }

  clear(): void {
    this.cache.clear();
  }
}
