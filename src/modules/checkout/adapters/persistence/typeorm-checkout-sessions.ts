import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { compose, type Statement, type StatementPart } from '../../../../platform/database/statement.js';
import { KEEP_ANSWER, keptValues } from '../../../../platform/idempotency/kept-answers.js';
import type { KeptAnswer } from '../../../../shared/answer.js';
import type { Caller } from '../../../../shared/caller.js';
import { Clock } from '../../../../shared/clock.js';
import { idOf, idRange, modeOf, uuidOf } from '../../../../shared/id.js';
import {
  DELIVER_EVENT,
  deliveryValues,
  eventsValues,
  eventValues,
  newEvent,
  type OwnedEvent,
  RECORD_EVENT,
  RECORD_EVENTS,
} from '../../../events/index.js';
import { type CheckoutSessionFilter, CheckoutSessions } from '../../application/ports.js';
import {
  CheckoutSession,
  type CheckoutSessionFacts,
  type CheckoutSessionSummary,
  type SessionEvent,
  type SessionStatus,
} from '../../domain/checkout-session.js';
import { checkoutSessionView } from '../representation/checkout-sessions.views.js';

/** A session past its time is expired, whether or not the sweeper has stored that. */
const STATUS = `CASE WHEN status = 'open' AND expires_at <= clock_timestamp() THEN 'expired' ELSE status END`;

const INSERT: StatementPart = {
  parameters: 22,
  sql: `INSERT INTO checkout_sessions
    (organization_id, mode, id, ui_mode, status, payment_status, currency,
     amount_subtotal, amount_discount, amount_shipping, amount_tax, amount_total,
     success_url, cancel_url, return_url, notify_url, description, customer_email, locale,
     metadata, line_items, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
      to_timestamp($22))`,
};
const ADD = compose('checkout.add', KEEP_ANSWER, INSERT, RECORD_EVENT);
const ADD_AND_NOTIFY = compose('checkout.add_and_notify', KEEP_ANSWER, INSERT, RECORD_EVENT, DELIVER_EVENT);

const COLUMNS = `id, mode, ui_mode AS "uiMode", ${STATUS} AS status, payment_status AS "paymentStatus", currency,
  amount_subtotal AS "amountSubtotal", amount_discount AS "amountDiscount", amount_shipping AS "amountShipping",
  amount_tax AS "amountTax", amount_total AS "amountTotal", success_url AS "successUrl", cancel_url AS "cancelUrl",
  return_url AS "returnUrl", notify_url AS "notifyUrl", description, customer_email AS "customerEmail", locale, metadata,
  line_items AS "lineItems", extract(epoch FROM expires_at)::bigint AS "expiresAt"`;

const BY_ID = 'WHERE organization_id = $1 AND mode = $2 AND id = $3';
const FIND = { name: 'checkout.find', text: `SELECT ${COLUMNS} FROM checkout_sessions ${BY_ID}` };
const NOTIFY_URL = {
  name: 'checkout.notify_url',
  text: `SELECT notify_url AS "notifyUrl" FROM checkout_sessions ${BY_ID}`,
};
const LOCK = { name: 'checkout.lock', text: `SELECT ${COLUMNS} FROM checkout_sessions ${BY_ID} FOR NO KEY UPDATE` };

const SETTLE = {
  name: 'checkout.settle',
  text: `UPDATE checkout_sessions SET status = $4, payment_status = $5 ${BY_ID}
    AND status = 'open' AND expires_at > clock_timestamp()`,
};

/** Characters of sessions whose outcomes are recorded by one statement, or one session that has more. */
const RECORDED_TOGETHER = 256 * 1024;

/** SKIP LOCKED: several instances sweep at once, and a session being paid right now is left to its payment. */
const SETTLE_EXPIRED = {
  name: 'checkout.settle_expired',
  text: `UPDATE checkout_sessions SET status = 'expired' WHERE (organization_id, mode, id) IN (
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
  // Those the sweeper has settled, and the few it has not: found by their time, whatever the range of ids, because in the
  // order of ids they lie behind every session that is still open.
  expired: {
    name: 'checkout.list_expired',
    text: `WITH late AS MATERIALIZED (${SUMMARY} AND status = 'open' AND expires_at <= now())
      (${stored('expired')}) UNION ALL
      (SELECT * FROM late WHERE ${RANGE} ${NEWEST}) ${NEWEST}`,
  },
};

@Injectable()
export class TypeormCheckoutSessions extends CheckoutSessions {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  async add(caller: Caller, session: CheckoutSession, kept: KeptAnswer): Promise<void> {
    const { id, notifyUrl } = session.facts;
    const event = newEvent(
      { type: 'checkout.session.created', object: id, sequence: session.version, data: kept.answer.body },
      this.clock.now(),
    );
    const values = [...keptValues(caller, kept), ...toRow(caller, session), ...eventValues(caller, event)];
    if (notifyUrl === null) await this.database.write(ADD, values);
    else await this.database.write(ADD_AND_NOTIFY, [...values, ...deliveryValues(caller, event, notifyUrl)]);
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

  async lock(caller: Caller, id: string): Promise<CheckoutSession | undefined> {
    if (modeOf(id) !== caller.mode) return undefined;
    const [row] = await this.database.query<Row>(LOCK, [uuidOf(caller.organization), caller.mode, uuidOf(id)]);
    return row && fromRow(row);
  }

  async settle(caller: Caller, session: CheckoutSession): Promise<boolean> {
    const { id, status, paymentStatus } = session.facts;
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(id), status, paymentStatus];
    return this.database.run(async () => {
      if ((await this.database.write(SETTLE, values)) !== 1) return false;
      await this.recordOutcomes([{ caller, session }]);
      return true;
    });
  }

  async settleExpired(limit: number): Promise<number> {
    return this.database.run(async () => {
      const rows = await this.database.query<OwnedRow>(SETTLE_EXPIRED, [limit]);
      if (rows.length > 0) await this.recordOutcomes(rows.map(fromOwnedRow));
      return rows.length;
    });
  }

  async list(caller: Caller, filter: CheckoutSessionFilter): Promise<CheckoutSessionSummary[]> {
    const { status, limit } = filter;
    const values = [uuidOf(caller.organization), caller.mode, ...idRange(filter), limit + 1];
    const rows = await this.database.read<CheckoutSessionSummary>(LISTS[status ?? 'all'], values);
    return rows.map((row) => ({ ...row, id: idOf('cs', row.id, row.mode) }));
  }

  private async recordOutcomes(settled: readonly OwnedSession[]): Promise<void> {
    let events: OwnedEvent[] = [];
    let length = 0;
    for (const { caller, session } of settled) {
      const { id, status, notifyUrl } = session.facts;
      const type: SessionEvent = status === 'complete' ? 'checkout.session.completed' : 'checkout.session.expired';
      const data = JSON.stringify(checkoutSessionView(session));
      const event = newEvent({ type, object: id, sequence: session.version, data }, this.clock.now());
      events.push({ caller, event, url: notifyUrl });
      length += data.length;
      if (length < RECORDED_TOGETHER) continue;
      await this.database.write(RECORD_EVENTS, eventsValues(events));
      events = [];
      length = 0;
    }
    if (events.length > 0) await this.database.write(RECORD_EVENTS, eventsValues(events));
  }
}

/** The facts, but for the bare UUID, under the names that COLUMNS gives them. */
type Row = CheckoutSessionFacts;

interface OwnedRow extends Row {
  readonly organization: string;
}

interface OwnedSession {
  readonly caller: Caller;
  readonly session: CheckoutSession;
}

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

function fromOwnedRow({ organization, ...row }: OwnedRow): OwnedSession {
  return { caller: { organization: idOf('org', organization), mode: row.mode }, session: fromRow(row) };
}
