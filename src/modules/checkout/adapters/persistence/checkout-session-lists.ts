import { selectionOf } from '../../../../persistence/columns.js';
import { createdBetween } from '../../../../persistence/rows.js';
import { type Places, statement } from '../../../../persistence/statement.js';
import { type SessionStatus, SUMMARY } from '../../domain/checkout-session.js';
import { CheckoutSessionRecord } from './checkout-session.record.js';

/** Whose sessions, and by how many seconds their clock is ahead. */
export interface Scope {
  readonly organization: string;
  readonly mode: string;
  readonly ahead: number;
}

export const isOwn = ({ organization, mode }: Places<Omit<Scope, 'ahead'>>) =>
  `organization_id = ${organization} AND mode = ${mode}`;
/** The time of the caller: the database's, and the seconds by which the test clock is ahead. */
export const clock = (seconds: string) =>
  `statement_timestamp() + make_interval(secs => ${seconds})`;
export const isOverdue = (seconds: string) => `status = 'open' AND expires_at <= ${clock(seconds)}`;

/** An open session past its expires_at is expired, even before the sweeper has stored that. */
export const status = (seconds: string) =>
  `CASE WHEN ${isOverdue(seconds)} THEN 'expired' ELSE status END`;

interface Listed extends Scope {
  readonly low: string;
  readonly high: string;
  readonly from: number | null;
  readonly to: number | null;
  readonly limit: number;
}

interface Referenced extends Listed {
  readonly reference: string;
  readonly status: SessionStatus | undefined;
}

const select = (
  page: Places<Listed>,
) => `SELECT ${selectionOf(CheckoutSessionRecord, { status: status(page.ahead) }, SUMMARY)}
  FROM checkout_sessions WHERE ${isOwn(page)} AND ${createdBetween(page.from, page.to)}`;
const inRange = ({ low, high }: Places<Listed>) => `id >= ${low} AND id < ${high}`;
const newest = ({ limit }: Places<Listed>) => `ORDER BY id DESC LIMIT ${limit}`;

/** Those stored with this status. By id alone, the planner would read a day of open sessions before the newest expired one. */
const stored = (page: Places<Listed>, stored: SessionStatus, rest = '') => `${select(page)}
  AND (status, id) >= ('${stored}', ${page.low}) AND (status, id) < ('${stored}', ${page.high}) ${rest}
  ORDER BY checkout_sessions.status DESC, id DESC LIMIT ${page.limit}`;

/** One statement for each filter, so that each has a plan of its own: it reads an index backwards and sorts nothing. */
export const LISTS = {
  all: statement<Listed>(
    'checkout.list',
    (page) => `${select(page)} AND ${inRange(page)} ${newest(page)}`,
  ),
  open: statement<Listed>('checkout.list_open', (page) =>
    stored(page, 'open', `AND expires_at > ${clock(page.ahead)}`),
  ),
  complete: statement<Listed>('checkout.list_complete', (page) => stored(page, 'complete')),
  // `late` are the few that the sweeper has not stored yet, found by expires_at: in the order of IDs they come after all open ones.
  expired: statement<Listed>(
    'checkout.list_expired',
    (page) => `WITH late AS MATERIALIZED (${select(page)} AND ${isOverdue(page.ahead)})
      (${stored(page, 'expired')}) UNION ALL (SELECT * FROM late WHERE ${inRange(page)} ${newest(page)}) ${newest(page)}`,
  ),
};
export const REFERENCED = statement<Referenced>(
  'checkout.list_reference',
  (page) => `${select(page)} AND metadata->>'reference' = ${page.reference} AND ${inRange(page)}
    AND (${page.status}::text IS NULL OR ${status(page.ahead)} = ${page.status}) ${newest(page)}`,
);
