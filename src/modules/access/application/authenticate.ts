import { Injectable } from '@nestjs/common';
import { CallerClock, Clock } from '../../../shared/clock.js';
import { type ApiKey, isWellFormedToken } from '../domain/api-key.js';
import { ApiKeys } from './ports.js';

/** A revoked key stops everywhere within 5 s of its revocation; the second below that is for the lookup itself. */
const REMEMBER_MS = 4_000;
/** More than one instance sees in that time; past it the oldest are looked up again. */
const MAX_KEYS = 10_000;
const MAX_ORIGINS = 1_000;
/** An origin is a scheme, a host of at most 253 characters and a port. */
const MAX_ORIGIN_LENGTH = 300;

interface Remembered<Value> {
  readonly since: number;
  value: Value | Promise<Value>;
}

/** Finds out which key a token is, at most once every few seconds for each. */
@Injectable()
export class Authenticate {
  private readonly keys = new Map<string, Remembered<ApiKey | undefined>>();
  private readonly origins = new Map<string, Remembered<boolean>>();

  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly clock: Clock,
    private readonly callerClock: CallerClock,
  ) {}

  /** The active key of a token, or undefined: at once if it is remembered. Garbage costs no look at the database. */
  execute(token: string): ApiKey | undefined | Promise<ApiKey | undefined> {
    // One that is remembered was well-formed: its checksum is not counted again.
    if (!this.keys.has(token) && !isWellFormedToken(token)) return undefined;
    const active = (key: ApiKey | undefined) => (key?.isActive(this.callerClock.at(key.caller).now) ? key : undefined);
    const key = this.remembered(this.keys, MAX_KEYS, token, () => this.apiKeys.byToken(token));
    return key instanceof Promise ? key.then(active) : active(key);
  }

  /** Whether the token was a key when it was last looked up, or is being looked up. */
  isKnown(token: string): boolean {
    return this.keys.get(token)?.value !== undefined;
  }

  /** Whether any active key lists the origin: all that a preflight, which carries no key, can ask. */
  async isKnownOrigin(origin: string): Promise<boolean> {
    if (origin.length > MAX_ORIGIN_LENGTH) return false;
    return this.remembered(this.origins, MAX_ORIGINS, origin, () => this.apiKeys.anyAllows(origin));
  }

  /** Forgets what it knows: a key revoked on this instance stops at once. */
  forget(): void {
    this.keys.clear();
    this.origins.clear();
  }

  /** Concurrent calls share one lookup; its age counts from its start, and a failed one is not remembered. */
  private remembered<Value>(
    known: Map<string, Remembered<Value>>,
    most: number,
    name: string,
    look: () => Promise<Value>,
  ): Value | Promise<Value> {
    const now = this.clock.monotonic();
    const found = known.get(name);
    if (found && now - found.since < REMEMBER_MS) return found.value;
    const value = look();
    const remembered: Remembered<Value> = { since: now, value };
    known.delete(name);
    known.set(name, remembered);
    value.then(
      (known) => {
        remembered.value = known;
      },
      () => known.delete(name),
    );
    if (known.size > most) known.delete(known.keys().next().value as string);
    return value;
  }
}
