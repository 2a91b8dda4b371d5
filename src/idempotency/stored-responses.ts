import { Injectable } from '@nestjs/common';
import { Encryption } from '../encryption/encryption.js';
import { insertInto } from '../platform/database/columns.js';
import { Database } from '../platform/database/database.js';
import { byOrganization, type Place } from '../platform/database/places.js';
import { earlier, type Part } from '../platform/database/statement.js';
import type { HttpResponse } from '../platform/http/response.js';
import type { Caller } from '../shared/caller.js';
import { uuidOf } from '../shared/id.js';
import { IdempotencyKeyRecord } from './idempotency-key.record.js';
import { IdempotentResponse } from './idempotent-response.js';

/** The constraint that refuses a second request with the same key. */
export const KEY_CONSTRAINT = 'idempotency_keys_pkey';

/** A key that is already stored fails the whole statement. */
const insert = insertInto<IdempotencyKeyRecord, { expiresAt: number }>('idempotency.add', IdempotencyKeyRecord, {
  expiresAt: (seconds) => `now() + make_interval(secs => ${seconds})`,
});

const BY_KEY = 'organization_id = $1 AND mode = $2 AND operation = $3 AND key = $4';

const FIND = {
  name: 'idempotency.find',
  text: `SELECT fingerprint, status, location, body, expires_at <= now() AS expired
    FROM idempotency_keys WHERE ${BY_KEY}`,
};

const FORGET = `DELETE FROM idempotency_keys WHERE ${BY_KEY} AND expires_at <= now()`;

const AGE = `UPDATE idempotency_keys SET expires_at = ${earlier('expires_at', '$3')}
  WHERE organization_id = $1 AND mode = $2 AND operation <> $4`;

const OLD = {
  name: 'idempotency.old',
  text: `/* every organization: expired responses are removed for all */
    SELECT organization_id AS organization, ctid AS place FROM idempotency_keys
    WHERE expires_at <= now() ORDER BY expires_at LIMIT $1`,
};
/** SKIP LOCKED lets instances sweep side by side. */
const SWEEP = {
  name: 'idempotency.sweep',
  text: `DELETE FROM idempotency_keys WHERE organization_id = $1 AND ctid = ANY (ARRAY(
    SELECT ctid FROM idempotency_keys WHERE organization_id = $1 AND ctid = ANY ($2::tid[]) AND expires_at <= now()
    FOR UPDATE SKIP LOCKED))`,
};

export interface Claim {
  readonly operation: string;
  readonly key: string;
  readonly fingerprint: Buffer;
  readonly retentionSeconds: number;
}

type Scope = Pick<Claim, 'operation' | 'key'>;

export interface StoredResponse {
  readonly response: IdempotentResponse;
  readonly fingerprint: Buffer;
}

interface Row {
  readonly fingerprint: Buffer;
  readonly status: number;
  readonly location: string | null;
  readonly body: string;
  readonly expired: boolean;
}

@Injectable()
export class StoredResponses {
  constructor(
    private readonly database: Database,
    private readonly encryption: Encryption,
  ) {}

  /** Fails with KEY_CONSTRAINT when the key is taken. */
  add(caller: Caller, claim: Claim, { status, location, body: shown, hasSecret }: HttpResponse): Part {
    const { operation, key, fingerprint, retentionSeconds: expiresAt } = claim;
    const organizationId = uuidOf(caller.organization);
    const { mode } = caller;
    const body = hasSecret ? this.encryption.encryptToText(shown) : shown;
    return insert({ organizationId, mode, operation, key, fingerprint, status, location, body, expiresAt });
  }

  async find(caller: Caller, scope: Scope): Promise<StoredResponse | 'expired' | undefined> {
    const [row] = await this.database.read<Row>(FIND, byKey(caller, scope));
    if (!row) return undefined;
    if (row.expired) return 'expired';
    const response = new IdempotentResponse({ ...row, body: this.shown(row.body) }, true);
    return { response, fingerprint: row.fingerprint };
  }

  private shown(body: string): string {
    return Encryption.isEncrypted(body) ? this.encryption.decrypt(body) : body;
  }

  forget(caller: Caller, scope: Scope): Part {
    return { name: 'idempotency.forget', sql: FORGET, values: byKey(caller, scope) };
  }

  /**
   * Makes the caller's responses expire earlier by `seconds`. Those of the operation `except` are kept in real time, whatever
   * the caller's test clock says.
   */
  age({ organization, mode }: Caller, seconds: number, except: string): Part {
    return { name: 'idempotency.age', sql: AGE, values: [uuidOf(organization), mode, seconds, except] };
  }

  /** Removes up to `limit` expired responses and returns how many. */
  async sweep(limit: number): Promise<number> {
    const old = await this.database.read<Place>(OLD, [limit]);
    let removed = 0;
    for (const owned of byOrganization(old)) removed += (await this.database.autocommit(SWEEP, owned)).rowCount;
    return removed;
  }
}

function byKey(caller: Caller, { operation, key }: Scope): unknown[] {
  return [uuidOf(caller.organization), caller.mode, operation, key];
}
