import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { compose, type Statement } from '../../../../platform/database/statement.js';
import { KEEP_ANSWER, keptValues } from '../../../../platform/idempotency/kept-answers.js';
import type { KeptAnswer } from '../../../../shared/answer.js';
import type { Caller } from '../../../../shared/caller.js';
import { idOf, idRange, modeOf, uuidOf } from '../../../../shared/id.js';
import { type CheckoutSessionFilter, CheckoutSessions } from '../../application/ports.js';
import {
  CheckoutSession,
  type CheckoutSessionFacts,
  type CheckoutSessionSummary,
  type SessionStatus,
} from '../../domain/checkout-session.js';

/** A session past its time is expired, whether or not the sweeper has stored that. */
const STATUS = `CASE WHEN status = 'open' AND expires_at <= clock_timestamp() THEN 'expired' ELSE status END`;

const INSERT = compose('checkout.add', KEEP_ANSWER, {
  parameters: 22,
  sql: `INSERT INTO checkout_sessions
    (organization_id, mode, id, ui_mode, status, payment_status, currency,
     amount_subtotal, amount_discount, amount_shipping, amount_tax, amount_total,
     success_url, cancel_url, return_url, notify_url, description, customer_email, locale,
     metadata, line_items, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
      to_timestamp($22))`,
});

const COLUMNS = `id, mode, ui_mode AS "uiMode", ${STATUS} AS status, payment_status AS "paymentStatus", currency,
  amount_subtotal AS "amountSubtotal", amount_discount AS "amountDiscount", amount_shipping AS "amountShipping",
  amount_tax AS "amountTax", amount_total AS "amountTotal", success_url AS "successUrl", cancel_url AS "cancelUrl",
  return_url AS "returnUrl", notify_url AS "notifyUrl", description, customer_email AS "customerEmail", locale, metadata,
  line_items AS "lineItems", extract(epoch FROM expires_at)::bigint AS "expiresAt"`;

const BY_ID = 'WHERE organization_id = $1 AND mode = $2 AND id = $3';
const FIND = { name: 'checkout.find', text: `SELECT ${COLUMNS} FROM checkout_sessions ${BY_ID}` };
const LOCK = { name: 'checkout.lock', text: `SELECT ${COLUMNS} FROM checkout_sessions ${BY_ID} FOR NO KEY UPDATE` };

const SETTLE = {
  name: 'checkout.settle',
  text: `UPDATE checkout_sessions SET status = $4, payment_status = $5 ${BY_ID}
    AND status = 'open' AND expires_at > clock_timestamp()`,
};

/** SKIP LOCKED: several instances sweep at once, and a session being paid right now is left to its payment. */
const SETTLE_EXPIRED = {
  name: 'checkout.settle_expired',
  text: `UPDATE checkout_sessions SET status = 'expired' WHERE (organization_id, mode, id) IN (
    SELECT organization_id, mode, id FROM checkout_sessions
    WHERE status = 'open' AND expires_at <= now() ORDER BY expires_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)`,
};

const SUMMARY = `SELECT id, mode, ${STATUS} AS status, payment_status AS "paymentStatus", currency,
  amount_total AS "amountTotal" FROM checkout_sessions
  WHERE organization_id = $1 AND mode = $2 AND id >= $3 AND id < $4`;
const NEWEST = 'ORDER BY id DESC LIMIT $5';

/** One statement for each filter, so that each has a plan of its own: an index walked backwards, and no sort. */
const LISTS: Readonly<Record<SessionStatus | 'all', Statement>> = {
  all: { name: 'checkout.list', text: `${SUMMARY} ${NEWEST}` },
  open: {
    name: 'checkout.list_open',
    text: `${SUMMARY} AND status = 'open' AND expires_at > clock_timestamp() ${NEWEST}`,
  },
  complete: { name: 'checkout.list_complete', text: `${SUMMARY} AND status = 'complete' ${NEWEST}` },
  // Those the sweeper has settled and the few it has not, each by its own index; then a sort of two pages.
  expired: {
    name: 'checkout.list_expired',
    text: `(${SUMMARY} AND status = 'expired' ${NEWEST}) UNION ALL
      (${SUMMARY} AND status = 'open' AND expires_at <= now() ${NEWEST}) ${NEWEST}`,
  },
};

@Injectable()
export class TypeormCheckoutSessions extends CheckoutSessions {
  constructor(private readonly database: Database) {
    super();
  }

  async add(caller: Caller, session: CheckoutSession, kept: KeptAnswer): Promise<void> {
    await this.database.write(INSERT, [...keptValues(caller, kept), ...toRow(caller, session)]);
  }

  async find(caller: Caller, id: string): Promise<CheckoutSession | undefined> {
    const [row] = await this.database.query<Row>(FIND, [uuidOf(caller.organization), modeOf(id), uuidOf(id)]);
    return row && fromRow(row);
  }

  async lock(caller: Caller, id: string): Promise<CheckoutSession | undefined> {
    if (modeOf(id) !== caller.mode) return undefined;
    const [row] = await this.database.query<Row>(LOCK, [uuidOf(caller.organization), caller.mode, uuidOf(id)]);
    return row && fromRow(row);
  }

  async settle(caller: Caller, { facts }: CheckoutSession): Promise<boolean> {
    const key = [uuidOf(caller.organization), caller.mode, uuidOf(facts.id)];
    return (await this.database.write(SETTLE, [...key, facts.status, facts.paymentStatus])) === 1;
  }

  async settleExpired(limit: number): Promise<number> {
    return this.database.write(SETTLE_EXPIRED, [limit]);
  }

  async list(caller: Caller, filter: CheckoutSessionFilter): Promise<CheckoutSessionSummary[]> {
    const { status, limit } = filter;
    const values = [uuidOf(caller.organization), caller.mode, ...idRange(filter), limit + 1];
    const rows = await this.database.query<CheckoutSessionSummary>(LISTS[status ?? 'all'], values);
    return rows.map((row) => ({ ...row, id: idOf('cs', row.id, row.mode) }));
  }
}

/** The facts, but for the bare UUID, under the names that COLUMNS gives them. */
type Row = CheckoutSessionFacts;

function toRow(caller: Caller, { facts }: CheckoutSession): unknown[] {
  return [
    uuidOf(caller.organization),
    facts.mode,
    uuidOf(facts.id),
    facts.uiMode,
    facts.status,
    facts.paymentStatus,
    facts.currency,
    facts.amountSubtotal,
    facts.amountDiscount,
    facts.amountShipping,
    facts.amountTax,
    facts.amountTotal,
    facts.successUrl,
    facts.cancelUrl,
    facts.returnUrl,
    facts.notifyUrl,
    facts.description,
    facts.customerEmail,
    facts.locale,
    JSON.stringify(facts.metadata),
    JSON.stringify(facts.lineItems),
    facts.expiresAt,
  ];
}

function fromRow(row: Row): CheckoutSession {
  return CheckoutSession.restore({ ...row, id: idOf('cs', row.id, row.mode) });
}
