import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { type ApiKey, isWellFormedToken } from '../domain/api-key.js';
import { ApiKeys } from './ports.js';

/** A revoked key stops everywhere within 5 s of its revocation; the second below that is for the lookup itself. */
const REMEMBER_MS = 4_000;
/** More keys than one instance sees in that time; past it the oldest are looked up again. */
const MAX_REMEMBERED = 10_000;

interface Remembered<Value> {
  readonly since: number;
  readonly value: Promise<Value>;
}

/** Finds out which key a token is, at most once every few seconds for each. */
@Injectable()
export class Authenticate {
  private readonly keys = new Map<string, Remembered<ApiKey | undefined>>();
  private readonly origins = new Map<string, Remembered<boolean>>();

  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly clock: Clock,
  ) {}

  /** The active key of a token, or undefined; garbage costs no look at the database. */
  async execute(token: string): Promise<ApiKey | undefined> {
    // One that is remembered was well-formed: its checksum is not counted again.
    if (!this.keys.has(token) && !isWellFormedToken(token)) return undefined;
    const key = await this.remembered(this.keys, token, () => this.apiKeys.byToken(token));
    return key?.isActive(this.clock.now()) ? key : undefined;
  }

  /** Whether any active key lists the origin: all that a preflight, which carries no key, can ask. */
  async isKnownOrigin(origin: string): Promise<boolean> {
    return this.remembered(this.origins, origin, () => this.apiKeys.anyAllows(origin));
  }

  /** Forgets what it knows: a key revoked on this instance stops at once. */
  forget(): void {
    this.keys.clear();
    this.origins.clear();
  }

  /** Concurrent calls share one lookup; its age counts from its start, and a failed one is not remembered. */
  private remembered<Value>(
    known: Map<string, Remembered<Value>>,
    name: string,
    look: () => Promise<Value>,
  ): Promise<Value> {
    const now = this.clock.now();
    const found = known.get(name);
    if (found && now - found.since < REMEMBER_MS) return found.value;
    const value = look();
    known.delete(name);
    known.set(name, { since: now, value });
    value.catch(() => known.delete(name));
    if (known.size > MAX_REMEMBERED) known.delete(known.keys().next().value as string);
    return value;
  }
}
