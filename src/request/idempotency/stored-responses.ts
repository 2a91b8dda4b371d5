import { hash } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { insertInto } from '../../persistence/batched.js';
import { Database } from '../../persistence/database.js';
import { Encryption } from '../../persistence/encryption/encryption.js';
import { type Places, statement } from '../../persistence/statement.js';
import { byOrganization, type Place, sweep } from '../../persistence/sweep.js';
import { Config } from '../../platform/config.js';
import { Jobs } from '../../platform/jobs.js';
import type { PersonalData } from '../../platform/module-declaration.js';
import { type Caller, nameOf } from '../../shared/caller.js';
import { Clock } from '../../shared/clock.js';
import { uuidOf } from '../../shared/id.js';
import type { Unit } from '../../shared/unit.js';
import { type HttpResponse, IdempotentResponse } from '../response.js';
import { IdempotencyKeyRecord } from './idempotency-key.record.js';

export const KEY_CONSTRAINT = 'idempotency_keys_pkey';

/**
 * A caller who repeated a request is likely to repeat others, so its keys are looked up before they
 * are written, until this many look-ups found nothing. A taken key fails the statement, and with it
 * all the writes of other requests in the same batch.
 */
const LOOK_FIRST = 64;
const MAX_REPEATING = 1_000;
const SWEPT_EVERY_MS = 60_000;
const HOUR_MS = 3_600_000;

const KEY = insertInto('new_key', IdempotencyKeyRecord);

interface Key {
  readonly organization: string;
  readonly mode: string;
  readonly operation: string;
  readonly key: string;
}

const isUnder = ({ organization, mode, operation, key }: Places<Key>) =>
  `organization_id = ${organization} AND mode = ${mode} AND operation = ${operation}
    AND key = ${key}`;
const FIND = statement<Key>(
  'idempotency.find',
  (key) => `SELECT fingerprint, status, location, body, resource_id AS "resourceId"
    FROM idempotency_keys
    WHERE ${isUnder(key)} AND expires_at > now()`,
);
const FORGET = statement<Key>(
  'idempotency.forget',
  (key) => `DELETE FROM idempotency_keys WHERE ${isUnder(key)} AND expires_at <= now()`,
);

/** A page has the responses that come after this key and this time of expiry. */
interface OldPage {
  readonly expiresAt: string;
  readonly key: string;
  readonly limit: number;
}

const OLD = statement<OldPage>(
  'idempotency.old',
  (after) => `/* every organization: expired responses are removed for all */
    SELECT organization_id AS organization, ctid AS place, expires_at::text AS "expiresAt", key
    FROM idempotency_keys
    WHERE expires_at <= now() AND (expires_at, key) > (${after.expiresAt}, ${after.key})
    ORDER BY expires_at, key LIMIT ${after.limit}`,
);

interface OwnPlaces {
  readonly organization: string;
  readonly places: readonly string[];
}

/**
 * Several instances may sweep side by side, because SKIP LOCKED passes over the rows of the others.
 */
const SWEEP = statement<OwnPlaces>(
  'idempotency.sweep',
  ({ organization, places }) => `/* both modes: expired responses of either go */
    DELETE FROM idempotency_keys WHERE organization_id = ${organization} AND ctid = ANY (ARRAY(
    SELECT ctid FROM idempotency_keys
    WHERE organization_id = ${organization} AND ctid = ANY (${places}::tid[])
      AND expires_at <= now()
    FOR UPDATE SKIP LOCKED))`,
);

export const RESPONSE_PERSONAL_DATA: PersonalData = {
  object: 'response',
  json: [
    {
      table: 'idempotency_keys',
      column: 'body',
      about: 'resource_id',
      key: `operation || ' ' || key`,
    },
  ],
};

/** Every response comes after this place. */
const FIRST = { expiresAt: '-infinity', key: '' };
const SWEEPER = { queue: 'idempotency.sweep' };

export interface Claim {
  readonly operation: string;
  readonly key: string;
  readonly subject: string | undefined;
  readonly fingerprint: Buffer;
}

type Scope = Pick<Claim, 'operation' | 'key'>;

interface OldResponse extends Place {
  readonly expiresAt: string;
  readonly key: string;
}

type Row = Pick<
  IdempotencyKeyRecord,
  'fingerprint' | 'status' | 'location' | 'body' | 'resourceId'
>;

@Injectable()
export class StoredResponses implements OnApplicationBootstrap {
  /** These callers repeated a request. Each has a number of look-ups left that may find nothing. */
  private readonly repeating = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly encryption: Encryption,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.repeat('remove_idempotency_keys', SWEPT_EVERY_MS, () => this.sweep());
  }

  add(unit: Unit, { operation, key, fingerprint }: Claim, response: HttpResponse): void {
    const { status, location, hasSecret, resourceId, body: shown } = response;
    const organizationId = uuidOf(unit.organization);
    const { mode } = unit;
    const body = hasSecret ? this.encryption.encryptToText(shown) : shown;
    const expiresAt = new Date(this.clock.now() + this.config.idempotencyRetentionHours * HOUR_MS);
    const stored = { fingerprint, status, location, body, resourceId, expiresAt };
    this.database.batched(
      unit,
      KEY,
      { organizationId, mode, operation, key, ...stored },
      { isFirst: true },
    );
  }

  /**
   * Returns the response under the key. It is undefined if the response has expired, because the
   * key then counts as new.
   */
  async find(caller: Caller, scope: Scope): Promise<IdempotentResponse | undefined> {
    const [row] = await this.database.read<Row>(caller, ...FIND.of(keyOf(caller, scope)));
    this.count(caller, row !== undefined);
    if (!row) return undefined;
    const { fingerprint, status, location, resourceId } = row;
    const body = Encryption.isEncrypted(row.body) ? this.encryption.decrypt(row.body) : row.body;
    return new IdempotentResponse(
      { status, location, body, resourceId, replayed: true },
      fingerprint,
    );
  }

  isRepeating(caller: Caller): boolean {
    return this.repeating.has(nameOf(caller));
  }

  private count(caller: Caller, isRepeated: boolean): void {
    const name = nameOf(caller);
    const left = isRepeated ? LOOK_FIRST : (this.repeating.get(name) ?? 0) - 1;
    if (left > 0) this.repeating.set(name, left);
    else this.repeating.delete(name);
    if (this.repeating.size > MAX_REPEATING) this.repeating.clear();
  }

  async forget(caller: Caller, scope: Scope): Promise<void> {
    await this.database.autocommit(caller, ...FORGET.of(keyOf(caller, scope)));
  }

  async sweep(limit = 1_000): Promise<void> {
    await sweep<OldResponse>({
      limit,
      find: (most, after) => this.old(most, after),
      handle: (old) => this.remove(old),
    });
  }

  async old(limit: number, after?: OldResponse): Promise<OldResponse[]> {
    const { expiresAt, key } = after ?? FIRST;
    return this.database.read(SWEEPER, ...OLD.of({ expiresAt, key, limit }));
  }

  async remove(old: readonly Place[]): Promise<void> {
    for (const [organization, places] of byOrganization(old))
      await this.database.autocommit(SWEEPER, ...SWEEP.of({ organization, places }));
  }
}

/**
 * Returns the UUID of the resource that a response shows or changed: the one in the path, or the
 * one that was created.
 */
export function resourceOf({ subject }: Claim, { status, body }: HttpResponse): string | null {
  if (status >= 300) return null;
  const id = subject ?? /^\{"id":"(\w+)"/.exec(body)?.[1];
  return id === undefined ? null : uuidOf(id);
}

function keyOf({ organization, mode }: Caller, { operation, key }: Scope): Key {
  return { organization: uuidOf(organization), mode, operation, key };
}

/**
 * Returns the SHA-256 of the body's JSON, whatever the order of its members. It covers the path's
 * ID where the operation has one.
 */
export function fingerprintOf(subject: string | undefined, body: unknown): Buffer {
  const text = JSON.stringify(inOrder(body)) ?? '';
  return hash('sha256', subject === undefined ? text : `${subject} ${text}`, 'buffer');
}

/**
 * Returns the value with the members of each object sorted by name. Libraries for RFC 8785 take
 * five times as long.
 */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const ordered: Record<string, unknown> = {};
  for (const name of Object.keys(value).sort())
    ordered[name] = inOrder((value as Record<string, unknown>)[name]);
  return ordered;
}
