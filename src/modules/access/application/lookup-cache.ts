import type { Clock } from '../../../shared/clock.js';

/**
 * A value of this part of its greatest age is looked up again while it still serves, so that calls
 * wait for no value that is in use.
 */
const REFRESH_FROM = 0.75;

interface LookUp<Value> {
  readonly since: number;
  readonly value: Value;
}

/**
 * Keeps the values that were found within the last `maxAge` milliseconds. Beyond `maxSize` values,
 * the oldest are dropped.
 */
export class LookupCache<Value> {
  private readonly cache = new Map<string, LookUp<Value>>();
  private readonly underWay = new Map<string, LookUp<Promise<Value>>>();

  constructor(
    private readonly clock: Clock,
    private readonly maxAge: number,
    private readonly maxSize: number,
  ) {}

  /**
   * Returns the value, or looks it up. Concurrent calls share one look-up, whose age counts from
   * its start. A look-up that fails or finds nothing replaces no value.
   */
  get(name: string, lookUp: () => Promise<Value>): Value | Promise<Value> {
    const now = this.clock.monotonic();
    const cached = this.cache.get(name);
    const age = cached ? now - cached.since : this.maxAge;
    if (cached && age < this.maxAge * REFRESH_FROM) return cached.value;
    const underWay = this.underWay.get(name);
    const isFresh = underWay !== undefined && now - underWay.since < this.maxAge;
    const { value } = isFresh ? underWay : this.start(name, now, lookUp);
    return cached && age < this.maxAge ? cached.value : value;
  }

  has(name: string): boolean {
    return this.cache.has(name);
  }

  /** Drops all values. Look-ups that are under way are not kept, either. */
  clear(): void {
    this.cache.clear();
    this.underWay.clear();
  }

  private start(name: string, since: number, lookUp: () => Promise<Value>): LookUp<Promise<Value>> {
    const started = { since, value: lookUp() };
    const isLast = () => this.underWay.get(name) === started;
    this.underWay.set(name, started);
    started.value
      .then((value) => value !== undefined && isLast() && this.keep(name, { since, value }))
      .catch(() => undefined)
      .finally(() => isLast() && this.underWay.delete(name));
    return started;
  }

  private keep(name: string, found: LookUp<Value>): void {
    this.cache.delete(name);
    this.cache.set(name, found);
    if (this.cache.size > this.maxSize) this.cache.delete(this.cache.keys().next().value as string);
  }
}
