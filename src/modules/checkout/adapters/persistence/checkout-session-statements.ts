/**
 * The statements are in SQL where they are measured hot, and where TypeORM cannot express a write.
 */
import { selectionOf } from '../../../../persistence/columns.js';
import { createdBetween, type Keyset } from '../../../../persistence/rows.js';
import { findById, type Places, statement } from '../../../../persistence/statement.js';
import {
  type CheckoutSessionState,
  type CheckoutSessionSummary,
  type SessionStatus,
  SUMMARY,
} from '../../domain/checkout-session.js';
import { CheckoutSessionRecord } from './checkout-session.record.js';

/** `ahead` says by how many seconds the caller's clock is ahead. */
interface Scope {
  readonly organization: string;
  readonly mode: string;
  readonly ahead: number;
}

interface Key extends Scope {
  readonly id: string;
}

/**
 * Returns the time of the caller: the database's time plus the seconds by which the test clock is
 * ahead.
 */
export const clock = (seconds: string) =>
  `statement_timestamp() + make_interval(secs => ${seconds})`;
export const isOverdue = (seconds: string) => `status = 'open' AND expires_at <= ${clock(seconds)}`;

/** An open session past its expires_at is expired, even before the sweeper has stored that. */
const status = (seconds: string) =>
  `CASE WHEN ${isOverdue(seconds)} THEN 'expired' ELSE status END`;

const isOwn = ({ organization, mode }: Places<Omit<Scope, 'ahead'>>) =>
  `organization_id = ${organization} AND mode = ${mode}`;
const byId = (key: Places<Key>) => `WHERE ${isOwn(key)} AND id = ${key.id}`;
const columnsWith = (status: string) =>
  selectionOf(CheckoutSessionRecord, {
    status,
    expiresAt: 'extract(epoch FROM expires_at)::bigint',
    originalExpiresAt: 'extract(epoch FROM original_expires_at)::bigint',
  });

/** All rows of a list have the mode of the caller, so it is not read for each of them. */
export type SummaryRow = Omit<CheckoutSessionSummary, 'mode'>;
const COLUMNS_OF_SUMMARY = SUMMARY.filter((property) => property !== 'mode');
const summaryColumns = (seconds: string) =>
  selectionOf(CheckoutSessionRecord, { status: status(seconds) }, COLUMNS_OF_SUMMARY);

/** FIND and EXPIRE return such rows. Their times are in Unix seconds. */
export interface SessionRow
  extends Omit<CheckoutSessionRecord, 'organizationId' | 'expiresAt' | 'originalExpiresAt'> {
  readonly expiresAt: number;
  readonly originalExpiresAt: number | null;
}

export const FIND = findById<Key>(
  'checkout.find',
  (key) => `SELECT ${columnsWith(status(key.ahead))} FROM checkout_sessions ${byId(key)}`,
);

/**
 * The statement skips locked rows, because several instances sweep at once, and a session that is
 * being paid stays open for its payment.
 */
export const EXPIRE = statement<Scope & { readonly places: readonly string[] }>(
  'checkout.expire_overdue',
  (own) => `WITH expired AS (
      UPDATE checkout_sessions SET status = 'expired' WHERE ${isOwn(own)} AND ctid = ANY (ARRAY(
        SELECT ctid FROM checkout_sessions
        WHERE ${isOwn(own)} AND ctid = ANY (${own.places}::tid[]) AND ${isOverdue(own.ahead)}
        FOR NO KEY UPDATE SKIP LOCKED))
      RETURNING *
    ) SELECT ${columnsWith('status')} FROM expired`,
);

interface WithReference extends Scope {
  readonly reference: string;
}

const hasReference = ({ reference }: Places<WithReference>, stored: SessionStatus) =>
  `metadata->>'reference' = ${reference} AND status = '${stored}'`;

/**
 * Returns the newest complete session with the reference, and all open ones, of which there is one
 * at most, unless they are older than the setting. Expired ones are not read, however many they
 * are.
 */
export const WITH_REFERENCE = statement<WithReference>('checkout.with_reference', (own) => {
  const found = (stored: SessionStatus) => `SELECT
    ${summaryColumns(own.ahead)} FROM checkout_sessions
    WHERE ${isOwn(own)} AND ${hasReference(own, stored)}`;
  return `(${found('complete')} ORDER BY id DESC LIMIT 1) UNION ALL (${found('open')})
    ORDER BY id DESC`;
});

/**
 * The statement does not call sessions expired that another transaction postpones at this moment:
 * it waits for that one, and looks again.
 */
export const EXPIRE_WITH_REFERENCE = statement<WithReference>(
  'checkout.expire_with_reference',
  (own) => `WITH expired AS (
      UPDATE checkout_sessions SET status = 'expired'
      WHERE ${isOwn(own)} AND ${hasReference(own, 'open')} AND expires_at <= ${clock(own.ahead)}
      RETURNING *
    ) SELECT ${columnsWith('status')} FROM expired`,
);

type Changed = Pick<
  CheckoutSessionState,
  'status' | 'paymentStatus' | 'expiresAt' | 'originalExpiresAt' | 'awaits'
>;

interface Change extends Key, Changed {
  /** This is `ahead` in seconds if the change closes the session; null if it stays open. */
  readonly closedAhead: number | null;
}

/**
 * The change also compares the number of waits: a change that was decided before the last wait has
 * another expires_at. The time of closing is null without its seconds, because make_interval() is
 * strict: Citus refuses a CASE around statement_timestamp() in an UPDATE.
 */
export const CHANGE = statement<Change>(
  'checkout.change',
  (to) => `UPDATE checkout_sessions
  SET status = ${to.status}, payment_status = ${to.paymentStatus},
    expires_at = to_timestamp(${to.expiresAt}),
    original_expires_at = to_timestamp(${to.originalExpiresAt}), awaits = ${to.awaits},
    closed_at = ${clock(to.closedAhead)}
  ${byId(to)} AND status = 'open' AND expires_at > ${clock(to.ahead)} AND awaits <= ${to.awaits}`,
);

interface Listed extends Scope, Keyset {
  readonly limit: number;
}

interface Referenced extends Listed {
  readonly reference: string;
  readonly status: SessionStatus | undefined;
}

const select = (page: Places<Listed>) => `SELECT ${summaryColumns(page.ahead)}
  FROM checkout_sessions WHERE ${isOwn(page)} AND ${createdBetween(page.from, page.to)}`;
const inRange = ({ low, high }: Places<Listed>) => `id >= ${low} AND id < ${high}`;
const newest = ({ limit }: Places<Listed>) => `ORDER BY id DESC LIMIT ${limit}`;

/**
 * Selects the sessions that are stored with this status. By id alone, the planner would read a day
 * of open sessions before the newest expired one.
 */
const stored = (page: Places<Listed>, stored: SessionStatus, rest = '') => `${select(page)}
  AND (status, id) >= ('${stored}', ${page.low})
  AND (status, id) < ('${stored}', ${page.high}) ${rest}
  ORDER BY checkout_sessions.status DESC, id DESC LIMIT ${page.limit}`;

/**
 * There is one statement for each filter, so that each has a plan of its own: it reads an index
 * backwards and sorts nothing.
 */
export const LISTS = {
  all: statement<Listed>(
    'checkout.list',
    (page) => `${select(page)} AND ${inRange(page)} ${newest(page)}`,
  ),
  open: statement<Listed>('checkout.list_open', (page) =>
    stored(page, 'open', `AND expires_at > ${clock(page.ahead)}`),
  ),
  complete: statement<Listed>('checkout.list_complete', (page) => stored(page, 'complete')),
  // `late` are the few sessions that the sweeper has not stored yet. They are found by expires_at,
  // and come after all open ones in the order of IDs.
  expired: statement<Listed>(
    'checkout.list_expired',
    (page) => `WITH late AS MATERIALIZED (${select(page)} AND ${isOverdue(page.ahead)})
      (${stored(page, 'expired')})
      UNION ALL (SELECT * FROM late WHERE ${inRange(page)} ${newest(page)}) ${newest(page)}`,
  ),
};

/** In the index, the sessions of each stored status are apart, each with the newest at the end. */
export const REFERENCED = statement<Referenced>(
  'checkout.list_reference',
  (page) => `SELECT found.* FROM unnest(enum_range(NULL::session_status)) AS stored (status)
    CROSS JOIN LATERAL (${select(page)} AND metadata->>'reference' = ${page.reference}
      AND checkout_sessions.status = stored.status AND ${inRange(page)}
      AND (${page.status}::session_status IS NULL OR ${status(page.ahead)} = ${page.status})
      ${newest(page)}) AS found
    WHERE ${page.status} IS NULL OR stored.status IN (${page.status}, 'open') ${newest(page)}`,
);
