import { Injectable } from '@nestjs/common';
import { CallerClock, Clock, type Moment } from '../../../shared/clock.js';
import { type ApiKey, isWellFormedToken, type KeyFault } from '../domain/api-key.js';
import { LookupCache } from './lookup-cache.js';
import { ApiKeys } from './ports.js';

/**
 * A revoked key must stop working on every instance within 5 s. One second is left for the lookup.
 */
const CACHE_MS = 4_000;
/** One instance sees fewer keys in that time. Beyond this number, the oldest are dropped. */
const MAX_KEYS = 10_000;
/**
 * Tokens that may be forged share so few look-ups: each sends one message to PostgreSQL at a time,
 * so that a flood of such tokens leaves it to the others.
 */
const UNKNOWN_AT_ONCE = 8;

/** Looks up the key of a token and caches it for a few seconds. */
@Injectable()
export class Authenticate {
  private readonly keys: LookupCache<ApiKey | undefined>;
  private readonly line: (() => void)[] = [];
  private lookingUp = 0;
  /**
   * The cache has one entry for all keys: an origin that nobody allows needs no look-up of its own.
   */
  private readonly origins: LookupCache<ReadonlySet<string>>;

  constructor(
    private readonly apiKeys: ApiKeys,
    clock: Clock,
    private readonly callerClock: CallerClock,
  ) {
    this.keys = new LookupCache(clock, CACHE_MS, MAX_KEYS);
    this.origins = new LookupCache(clock, CACHE_MS, 1);
  }

  /**
   * Returns the active key of a token, or why there is none. For a cached or malformed token, it is
   * synchronous and reads no database.
   */
  execute(token: string): ApiKey | KeyFault | Promise<ApiKey | KeyFault> {
    const isKnown = this.keys.has(token);
    // The checksum of a cached token is not computed again, because the token is well-formed.
    if (!isKnown && !isWellFormedToken(token)) return 'malformed';
    const find = () => this.apiKeys.byToken(token);
    const key = this.keys.get(token, isKnown ? find : () => this.inTurn(find));
    return key instanceof Promise ? key.then((found) => this.active(found)) : this.active(key);
  }

  async isKnownOrigin(origin: string): Promise<boolean> {
    return (await this.origins.get('all', () => this.apiKeys.allowedOrigins())).has(origin);
  }

  /**
   * Empties the cache, so that a key revoked on this instance stops working at once. It is to be
   * called after the commit.
   */
  forget(): void {
    this.keys.clear();
    this.origins.clear();
  }

  private async inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.lookingUp < UNKNOWN_AT_ONCE) this.lookingUp += 1;
    else await new Promise<void>((go) => this.line.push(go));
    try {
      return await work();
    } finally {
      const next = this.line.shift();
      if (next) next();
      else this.lookingUp -= 1;
    }
  }

  /**
   * Returns the key if it is active at the time of its organization. That time is read only for a
   * key that expires.
   */
  private active(key: ApiKey | undefined): ApiKey | KeyFault | Promise<ApiKey | KeyFault> {
    if (!key) return 'unknown';
    const at = ({ now }: Moment) => key.faultAt(now) ?? key;
    const moment =
      key.state.expiresAt === null ? { now: 0, ahead: 0 } : this.callerClock.at(key.caller);
    return moment instanceof Promise ? moment.then(at) : at(moment);
  }
}
