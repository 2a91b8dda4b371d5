import { Injectable } from '@nestjs/common';
import { CallerClock, Clock } from '../../../shared/clock.js';
import { type ApiKey, isWellFormedToken } from '../domain/api-key.js';
import { ApiKeys } from './ports.js';

/** A revoked key must stop working on every instance within 5 s. One second is left for the lookup. */
const CACHE_MS = 4_000;
/** More keys than one instance sees in that time. Beyond it, the oldest are dropped. */
const MAX_KEYS = 10_000;
const MAX_ORIGINS = 1_000;
/** An origin is a scheme, a host of at most 253 characters and a port. */
const MAX_ORIGIN_LENGTH = 300;

interface Cached<Value> {
  readonly since: number;
  value: Value | Promise<Value>;
}

/** Looks up the key of a token and caches it for a few seconds. */
@Injectable()
export class Authenticate {
  private readonly keys = new Map<string, Cached<ApiKey | undefined>>();
  private readonly origins = new Map<string, Cached<boolean>>();

  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly clock: Clock,
    private readonly callerClock: CallerClock,
  ) {}

  /** The active key of a token, or undefined. Synchronous for a cached token. A malformed token costs no database lookup. */
  execute(token: string): ApiKey | undefined | Promise<ApiKey | undefined> {
    // A cached token is well-formed: its checksum is not computed again.
    if (!this.keys.has(token) && !isWellFormedToken(token)) return undefined;
    const active = (key: ApiKey | undefined) => (key?.isActive(this.callerClock.at(key.caller).now) ? key : undefined);
    const key = this.cached(this.keys, MAX_KEYS, token, () => this.apiKeys.byToken(token));
    return key instanceof Promise ? key.then(active) : active(key);
  }

  /** Whether the token is cached as a key, or is being looked up. */
  isKnown(token: string): boolean {
    return this.keys.get(token)?.value !== undefined;
  }

  /** Whether any active key lists the origin. */
  async isKnownOrigin(origin: string): Promise<boolean> {
    if (origin.length > MAX_ORIGIN_LENGTH) return false;
    return this.cached(this.origins, MAX_ORIGINS, origin, () => this.apiKeys.anyAllows(origin));
  }

  /** Empties the cache, so that a key revoked on this instance stops working at once. */
  forget(): void {
    this.keys.clear();
    this.origins.clear();
  }

  /** Concurrent calls share one lookup. Its age counts from its start. A failed lookup is not cached. */
  private cached<Value>(
    cache: Map<string, Cached<Value>>,
    maxSize: number,
    name: string,
    lookUp: () => Promise<Value>,
  ): Value | Promise<Value> {
    const now = this.clock.monotonic();
    const found = cache.get(name);
    if (found && now - found.since < CACHE_MS) return found.value;
    const value = lookUp();
    const entry: Cached<Value> = { since: now, value };
    cache.delete(name);
    cache.set(name, entry);
    value.then(
      (result) => {
        entry.value = result;
      },
      () => cache.delete(name),
    );
    if (cache.size > maxSize) cache.delete(cache.keys().next().value as string);
    return value;
  }
}
