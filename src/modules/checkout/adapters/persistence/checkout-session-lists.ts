import { createdBetween } from '../../../../persistence/rows.js';
import { selectionOf } from '../../../../platform/columns.js';
import { type SessionStatus, SUMMARY } from '../../domain/checkout-session.js';
import { CheckoutSessionRecord } from './checkout-session.record.js';

/** The time of the caller: the database's, and the seconds by which the test clock is ahead. */
export const clock = (seconds: string) => `statement_timestamp() + make_interval(secs => ${seconds})`;
export const isOverdue = (seconds: string) => `status = 'open' AND expires_at <= ${clock(seconds)}`;

/** An open session past its expires_at is expired, even before the sweeper has stored that. */
export const status = (seconds: string) => `CASE WHEN ${isOverdue(seconds)} THEN 'expired' ELSE status END`;

const SELECT = `SELECT ${selectionOf(CheckoutSessionRecord, { status: status('$8') }, SUMMARY)}
  FROM checkout_sessions WHERE organization_id = $1 AND mode = $2 AND ${createdBetween('$5', '$6')}`;
const RANGE = 'id >= $3 AND id < $4';
const NEWEST = 'ORDER BY id DESC LIMIT $7';

/** Those stored with this status. By id alone, the planner would read a day of open sessions before the newest expired one. */
const stored = (stored: SessionStatus, rest = '') => `${SELECT}
  AND (status, id) >= ('${stored}', $3) AND (status, id) < ('${stored}', $4) ${rest}
  ORDER BY checkout_sessions.status DESC, id DESC LIMIT $7`;

/** One statement for each filter, so that each has a plan of its own: it reads an index backwards and sorts nothing. */
export const LISTS = {
  all: { name: 'checkout.list', text: `${SELECT} AND ${RANGE} ${NEWEST}` },
  open: { name: 'checkout.list_open', text: stored('open', `AND expires_at > ${clock('$8')}`) },
  complete: { name: 'checkout.list_complete', text: stored('complete') },
  reference: {
    name: 'checkout.list_reference',
    text: `${SELECT} AND metadata->>'reference' = $9 AND ${RANGE} AND ($10::text IS NULL OR ${status('$8')} = $10) ${NEWEST}`,
  },
  // `late` are the few that the sweeper has not stored yet, found by expires_at: in the order of IDs they come after all open ones.
  expired: {
    name: 'checkout.list_expired',
    text: `WITH late AS MATERIALIZED (${SELECT} AND ${isOverdue('$8')})
      (${stored('expired')}) UNION ALL (SELECT * FROM late WHERE ${RANGE} ${NEWEST}) ${NEWEST}`,
  },
};
