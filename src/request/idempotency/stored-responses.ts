import { hash } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { insertInto } from '../../persistence/batched.js';
import { Database } from '../../persistence/database.js';
import { Encryption } from '../../persistence/encryption/encryption.js';
import { byOrganization, type Place, sweep } from '../../persistence/sweep.js';
import { jsonColumn } from '../../persistence/traces.js';
import { Config } from '../../platform/config.js';
import type { Traces } from '../../platform/facts.js';
import { Jobs } from '../../platform/jobs.js';
import { type Caller, nameOf } from '../../shared/caller.js';
import { Clock } from '../../shared/clock.js';
import { uuidOf } from '../../shared/id.js';
import type { Unit } from '../../shared/unit.js';
import { type HttpResponse, IdempotentResponse, type ResponseParts } from '../response.js';
import { IdempotencyKeyRecord } from './idempotency-key.record.js';

export const KEY_CONSTRAINT = 'idempotency_keys_pkey';

/** Look-ups without a result after a repeated request, until keys are written first again. A taken key fails the statement of all writes that go together. */
const LOOK_FIRST = 64;
const MAX_REPEATING = 1_000;
const SWEPT_EVERY_MS = 60_000;
const HOUR_MS = 3_600_000;

const KEY = insertInto('new_key', IdempotencyKeyRecord);

const BY_KEY = 'organization_id = $1 AND mode = $2 AND operation = $3 AND key = $4';

const FIND = {
  name: 'idempotency.find',
  text: `SELECT fingerprint, status, location, body, resource_id AS "resourceId" FROM idempotency_keys WHERE ${BY_KEY} AND expires_at > now()`,
};
const FORGET = {
  name: 'idempotency.forget',
  text: `DELETE FROM idempotency_keys WHERE ${BY_KEY} AND expires_at <= now()`,
};
const OLD = {
  name: 'idempotency.old',
  text: `/* every organization: expired responses are removed for all */
    SELECT organization_id AS organization, ctid AS place, expires_at::text AS "expiresAt", key FROM idempotency_keys
    WHERE expires_at <= now() AND (expires_at, key) > ($2, $3) ORDER BY expires_at, key LIMIT $1`,
};
/** SKIP LOCKED lets instances sweep side by side. */
const SWEEP = {
  name: 'idempotency.sweep',
  text: `/* both modes: expired responses of either go */ DELETE FROM idempotency_keys WHERE organization_id = $1 AND ctid = ANY (ARRAY(
    SELECT ctid FROM idempotency_keys WHERE organization_id = $1 AND ctid = ANY ($2::tid[]) AND expires_at <= now()
    FOR UPDATE SKIP LOCKED))`,
};

export const RESPONSE_TRACES: Traces = {
  json: [jsonColumn('idempotency_keys', 'body', 'resource_id')],
};

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
  /** The look-ups without a result that are left, of callers that repeated a request. */
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

  add(unit: Unit, { operation, key, fingerprint }: Claim, { parts }: HttpResponse): void {
    const { status, location = null, hasSecret, resourceId = null, body: shown } = parts;
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

  /** The response under the key. Undefined if it has expired, because the key then counts as new. */
  async find(caller: Caller, scope: Scope): Promise<IdempotentResponse | undefined> {
    const [row] = await this.database.read<Row>(caller, FIND, keyValues(caller, scope));
    this.count(caller, row !== undefined);
    if (!row) return undefined;
    const { fingerprint, status, location, resourceId } = row;
    const body = Encryption.isEncrypted(row.body) ? this.encryption.decrypt(row.body) : row.body;
    return new IdempotentResponse({ status, location, body, resourceId }, fingerprint, true);
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
    await this.database.autocommit(caller, FORGET, keyValues(caller, scope));
  }

  async sweep(limit = 1_000): Promise<void> {
    await sweep<OldResponse>({
      limit,
      find: (most, after) => this.old(most, after),
      handle: (old) => this.remove(old),
    });
  }

  async old(limit: number, after?: OldResponse): Promise<OldResponse[]> {
    return this.database.read(SWEEPER, OLD, [
      limit,
      after?.expiresAt ?? '-infinity',
      after?.key ?? '',
    ]);
  }

  async remove(old: readonly Place[]): Promise<void> {
    for (const owned of byOrganization(old)) await this.database.autocommit(SWEEPER, SWEEP, owned);
  }
}

/** The UUID of what a response shows or changed: of the path, or of what was created. */
export function resourceOf({ subject }: Claim, { status, body }: ResponseParts): string | null {
  if (status >= 300) return null;
  const id = subject ?? /^\{"id":"(\w+)"/.exec(body)?.[1];
  return id === undefined ? null : uuidOf(id);
}

function keyValues(caller: Caller, { operation, key }: Scope): unknown[] {
  return [uuidOf(caller.organization), caller.mode, operation, key];
}

/** SHA-256 of the body's JSON, whatever the order of its members, and of the path's id where the operation has one. */
export function fingerprintOf(subject: string | undefined, body: unknown): Buffer {
  const text = JSON.stringify(inOrder(body)) ?? '';
  return hash('sha256', subject === undefined ? text : `${subject} ${text}`, 'buffer');
}

/** The value with the members of each object sorted by name. Libraries for RFC 8785 take five times as long. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const ordered: Record<string, unknown> = {};
  for (const name of Object.keys(value).sort())
    ordered[name] = inOrder((value as Record<string, unknown>)[name]);
  return ordered;
}
