import { Injectable } from '@nestjs/common';
import { Answer, type KeptAnswer } from '../../shared/answer.js';
import type { Caller } from '../../shared/caller.js';
import { uuidOf } from '../../shared/id.js';
import { Database } from '../database/database.js';
import { compose, type Part, type StatementPart } from '../database/statement.js';

/** The constraint that lets one request with a key through. */
export const KEY_CONSTRAINT = 'idempotency_keys_pkey';

/** The part of a write that keeps its answer: a taken key fails the whole statement. */
export const KEEP_ANSWER: StatementPart = {
  parameters: 9,
  sql: `INSERT INTO idempotency_keys
    (organization_id, mode, operation, key, fingerprint, status, location, body, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(secs => $9))`,
};

/** The values of KEEP_ANSWER. */
export function keptValues(caller: Caller, { operation, key, fingerprint, retentionSeconds, answer }: KeptAnswer) {
  const { status, location, body } = answer;
  const scope = [uuidOf(caller.organization), caller.mode, operation, key];
  return [...scope, fingerprint, status, location, body, retentionSeconds];
}

const KEEP = compose('idempotency.keep', KEEP_ANSWER);

const BY_KEY = 'organization_id = $1 AND mode = $2 AND operation = $3 AND key = $4';

const FIND = {
  name: 'idempotency.find',
  text: `SELECT fingerprint, status, location, body, expires_at <= now() AS expired
    FROM idempotency_keys WHERE ${BY_KEY}`,
};

const FORGET = {
  name: 'idempotency.forget',
  text: `DELETE FROM idempotency_keys WHERE ${BY_KEY} AND expires_at <= now()`,
};

/**
 * SKIP LOCKED: several instances sweep at once without waiting for each other or for a request that renews a key. By
 * their places (ctid), which cannot change while they are locked: a join with the batch would be planned for any size.
 */
const SWEEP = {
  name: 'idempotency.sweep',
  text: `DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM idempotency_keys WHERE expires_at <= now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
};

interface Row {
  readonly fingerprint: Buffer;
  readonly status: number;
  readonly location: string | null;
  readonly body: string;
  readonly expired: boolean;
}

type Scope = Pick<KeptAnswer, 'operation' | 'key'>;

/** Answers stored for retries, in PostgreSQL. */
@Injectable()
export class KeptAnswers {
  constructor(private readonly database: Database) {}

  /** Keeps an answer that wrote nothing else. Fails with KEY_CONSTRAINT when the key is taken. */
  async add(caller: Caller, kept: KeptAnswer): Promise<void> {
    await this.database.write(KEEP, keptValues(caller, kept));
  }

  store(caller: Caller, kept: KeptAnswer): Part {
    return { name: 'response.store', sql: KEEP_ANSWER.sql, values: keptValues(caller, kept) };
  }

  async find(caller: Caller, scope: Scope): Promise<{ answer: Answer; fingerprint: Buffer } | 'expired' | undefined> {
    const [row] = await this.database.read<Row>(FIND, byKey(caller, scope));
    if (!row) return undefined;
    if (row.expired) return 'expired';
    return { answer: new Answer(row.status, row.body, row.location, true), fingerprint: row.fingerprint };
  }

  /** Frees a key whose time is over. */
  async forget(caller: Caller, scope: Scope): Promise<void> {
    await this.database.write(FORGET, byKey(caller, scope));
  }

  /** Removes up to `limit` answers whose time is over and returns how many. */
  async sweep(limit: number): Promise<number> {
    return this.database.write(SWEEP, [limit]);
  }
}

function byKey(caller: Caller, { operation, key }: Scope): unknown[] {
  return [uuidOf(caller.organization), caller.mode, operation, key];
}
