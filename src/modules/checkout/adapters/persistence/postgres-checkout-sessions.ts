import { Injectable } from '@nestjs/common';
import { insertInto, type Selected, selectionOf } from '../../../../platform/database/columns.js';
import { Database } from '../../../../platform/database/database.js';
import type { Part, Statement } from '../../../../platform/database/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { notFound } from '../../../../shared/errors.js';
import { idOf, idRange, modeOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { type CheckoutSessionFilter, CheckoutSessions, type OwnedCheckoutSession } from '../../application/ports.js';
import {
  CHECKOUT_SESSION_ID,
  CheckoutSession,
  type CheckoutSessionSummary,
  type SessionStatus,
} from '../../domain/checkout-session.js';
import { CheckoutSessionRecord } from './checkout-session.record.js';

const insert = insertInto('checkout.add', CheckoutSessionRecord);

/** A session past its time is expired, whether or not the sweeper has stored that. */
const STATUS = `CASE WHEN status = 'open' AND expires_at <= clock_timestamp() THEN 'expired' ELSE status END`;

const COLUMNS = selectionOf(CheckoutSessionRecord, {
  status: STATUS,
  expiresAt: 'extract(epoch FROM expires_at)::bigint',
});

const BY_ID = 'WHERE organization_id = $1 AND mode = $2 AND id = $3';
const FIND = { name: 'checkout.find', text: `SELECT ${COLUMNS} FROM checkout_sessions ${BY_ID}` };
const NOTIFY_URL = {
  name: 'checkout.notify_url',
  text: `SELECT notify_url AS "notifyUrl" FROM checkout_sessions ${BY_ID}`,
};

const CLOSE = `UPDATE checkout_sessions SET status = $4, payment_status = $5 ${BY_ID}
  AND status = 'open' AND expires_at > clock_timestamp()`;

/** SKIP LOCKED: several instances sweep at once, and a session being paid right now is left to its payment. */
const EXPIRE_OVERDUE = {
  name: 'checkout.expire_overdue',
  text: `/* every organization: time is over for sessions of all alike */
    UPDATE checkout_sessions SET status = 'expired' WHERE (organization_id, mode, id) IN (
    SELECT organization_id, mode, id FROM checkout_sessions
    WHERE status = 'open' AND expires_at <= now() ORDER BY expires_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)
    RETURNING organization_id AS organization, ${COLUMNS}`,
};

const SUMMARY_COLUMNS = `id, mode, ${STATUS} AS status, payment_status AS "paymentStatus", currency,
  amount_total AS "amountTotal"`;
const OWN = 'organization_id = $1 AND mode = $2';
const RANGE = 'id >= $3 AND id < $4';
const SUMMARY = `SELECT ${SUMMARY_COLUMNS} FROM checkout_sessions WHERE ${OWN}`;
const NEWEST = 'ORDER BY id DESC LIMIT $5';

/**
 * What is stored as this, newest first. A range of status and id together, which only the index on both can walk: by id
 * alone the newest expired session lies behind a day of open ones.
 */
const stored = (status: SessionStatus, rest = '') => `${SUMMARY}
  AND (status, id) >= ('${status}', $3) AND (status, id) < ('${status}', $4) ${rest}
  ORDER BY checkout_sessions.status DESC, id DESC LIMIT $5`;

/** One statement for each filter, so that each has a plan of its own: an index walked backwards, and no sort. */
const LISTS: Readonly<Record<SessionStatus | 'all', Statement>> = {
  all: { name: 'checkout.list', text: `${SUMMARY} AND ${RANGE} ${NEWEST}` },
  open: { name: 'checkout.list_open', text: stored('open', 'AND expires_at > clock_timestamp()') },
  complete: { name: 'checkout.list_complete', text: stored('complete') },
  // Those the sweeper has stored, and the few it has not: found by their time, whatever the range of ids, because in the
  // order of ids they lie behind every session that is still open.
  expired: {
    name: 'checkout.list_expired',
    text: `WITH late AS MATERIALIZED (${SUMMARY} AND status = 'open' AND expires_at <= now())
      (${stored('expired')}) UNION ALL
      (SELECT * FROM late WHERE ${RANGE} ${NEWEST}) ${NEWEST}`,
  },
};

@Injectable()
export class PostgresCheckoutSessions extends CheckoutSessions {
  constructor(private readonly database: Database) {
    super();
  }

  add(caller: Caller, { state }: CheckoutSession): Part {
    const organizationId = uuidOf(caller.organization);
    return insert({ ...state, organizationId, id: uuidOf(state.id), expiresAt: new Date(state.expiresAt * 1000) });
  }

  close(caller: Caller, { state: { id, status, paymentStatus } }: CheckoutSession): Part {
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(id), status, paymentStatus];
    return { name: 'checkout.close', sql: CLOSE, values, rows: 1 };
  }

  async find(caller: Caller, id: string): Promise<CheckoutSession | undefined> {
    const [row] = await this.database.read<Row>(FIND, [uuidOf(caller.organization), modeOf(id), uuidOf(id)]);
    return row && fromRow(row);
  }

  async notifyUrl(caller: Caller, id: string): Promise<string | null> {
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(id)];
    const [row] = await this.database.read<Pick<Row, 'notifyUrl'>>(NOTIFY_URL, values);
    return row?.notifyUrl ?? null;
  }

  async get(caller: Caller, id: string, param: string): Promise<CheckoutSession> {
    const session = modeOf(id) === caller.mode ? await this.find(caller, id) : undefined;
    if (!session) throw notFound(param);
    return session;
  }

  async expireOverdue(limit: number): Promise<OwnedCheckoutSession[]> {
    return (await this.database.query<OwnedRow>(EXPIRE_OVERDUE, [limit])).map(fromOwnedRow);
  }

  async list(caller: Caller, filter: CheckoutSessionFilter): Promise<CheckoutSessionSummary[]> {
    const { status, limit } = filter;
    const values = [uuidOf(caller.organization), caller.mode, ...idRange(filter), limit + 1];
    const rows = await this.database.read<CheckoutSessionSummary>(LISTS[status ?? 'all'], values);
    return rows.map((row) => ({ ...row, id: idOf(CHECKOUT_SESSION_ID, row.id, row.mode) }));
  }
}

type Row = Selected<CheckoutSessionRecord, { expiresAt: number }>;

interface OwnedRow extends Row {
  readonly organization: string;
}

function fromRow(row: Row): CheckoutSession {
  return CheckoutSession.restore({ ...row, id: idOf(CHECKOUT_SESSION_ID, row.id, row.mode) });
}

function fromOwnedRow({ organization, ...row }: OwnedRow): OwnedCheckoutSession {
  return { caller: { organization: idOf(ORGANIZATION_ID, organization), mode: row.mode }, session: fromRow(row) };
}
