import { Injectable } from '@nestjs/common';
import { hot, insertInto, type Part } from '../../../../engine/index.js';
import { Database } from '../../../../persistence/database.js';
import { selectionOf } from '../../../../platform/columns.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerClock, type MovedClock, type TimedCaller } from '../../../../shared/clock.js';
import type { Write } from '../../../../shared/decision.js';
import { notFound } from '../../../../shared/errors.js';
import { createdRange, FIRST_UUID, idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import type { OwnId } from '../../../../shared/own-id.js';
import { type Page, pageOf } from '../../../../shared/page.js';
import { Outbox } from '../../../events/index.js';
import {
  type CheckoutSessionFilter,
  CheckoutSessions,
  type LockedSession,
  type OverdueSession,
  type ShortSession,
} from '../../application/ports.js';
import {
  CHECKOUT_SESSION_ID,
  CheckoutSession,
  type CheckoutSessionSummary,
  type SessionEvent,
} from '../../domain/checkout-session.js';
import { checkoutSessionJson } from '../representation/checkout-sessions.views.js';
import { CheckoutSessionRecord } from './checkout-session.record.js';
import { clock, isOverdue, LISTS, status } from './checkout-session-lists.js';

const SESSION = insertInto('new_session', CheckoutSessionRecord);

const columnsWith = (status: string, lineItems = 'line_items') =>
  selectionOf(CheckoutSessionRecord, {
    ...{ status, lineItems },
    expiresAt: 'extract(epoch FROM expires_at)::bigint',
    originalExpiresAt: 'extract(epoch FROM original_expires_at)::bigint',
  });

const BY_ID = 'WHERE organization_id = $1 AND mode = $2 AND id = $3';

/** $2 and $3 are the last one that was found before, by expires_at and ID. */
const overdue = (own: string, seconds: string) => `SELECT organization_id AS organization, mode, ctid AS place,
    expires_at::text AS "expiresAt", id FROM checkout_sessions
  WHERE ${own} ${isOverdue(seconds)} AND (expires_at, id) > ($2, $3) ORDER BY expires_at, id LIMIT $1`;
const OVERDUE = {
  name: 'checkout.overdue',
  text: `/* every organization: overdue sessions of all of them expire */ ${overdue('', '0')}`,
};
const OVERDUE_OF_ONE = {
  name: 'checkout.overdue_of_one',
  text: overdue('organization_id = $4 AND mode = $5 AND', '$6'),
};
/** SKIP LOCKED: several instances sweep at once, and a session that is being paid stays open for its payment. */
const EXPIRE = {
  name: 'checkout.expire_overdue',
  text: `WITH expired AS (
      UPDATE checkout_sessions SET status = 'expired' WHERE organization_id = $1 AND mode = $2 AND ctid = ANY (ARRAY(
        SELECT ctid FROM checkout_sessions
        WHERE organization_id = $1 AND mode = $2 AND ctid = ANY ($3::tid[]) AND ${isOverdue('$4')}
        FOR NO KEY UPDATE SKIP LOCKED))
      RETURNING *
    ) SELECT ${columnsWith('status')} FROM expired`,
};

const FIND = { name: 'checkout.find', text: `SELECT ${columnsWith(status('$4'))} FROM checkout_sessions ${BY_ID}` };
const FIND_SHORT = {
  name: 'checkout.find_short',
  text: `SELECT ${columnsWith(status('$4'), 'first_lines')}, line_count AS "lineCount", line_discount AS "lineDiscount" FROM checkout_sessions
    CROSS JOIN LATERAL (SELECT count(*)::integer AS line_count,
        sum((line->>'amountDiscount')::bigint)::bigint AS line_discount, json_agg(line ORDER BY place) FILTER (WHERE place <= $5) AS first_lines
      FROM json_array_elements(line_items) WITH ORDINALITY AS element (line, place)) AS lines ${BY_ID}`,
};
const LOCK = {
  name: 'checkout.lock',
  text: `SELECT ${columnsWith(status('$4'))}, NOT (${isOverdue('$4')}) AS "isStored" FROM checkout_sessions ${BY_ID} FOR UPDATE`,
};
/** Guarded by the number of waits, too: what was decided before the last one says another expires_at. */
const CHANGE = `UPDATE checkout_sessions SET status = $4, payment_status = $5, expires_at = to_timestamp($6),
    original_expires_at = to_timestamp($7), awaits = $8, closed_at = CASE WHEN $4 <> 'open' THEN ${clock('$9')} END
  ${BY_ID} AND status = 'open' AND expires_at > ${clock('$9')} AND awaits <= $8`;

@Injectable()
export class HotCheckoutSessions extends CheckoutSessions {
  constructor(
    private readonly database: Database,
    private readonly clock: CallerClock,
    private readonly outbox: Outbox,
  ) {
    super();
  }

  add(caller: Caller, { state }: CheckoutSession): Part {
    const organizationId = uuidOf(caller.organization);
    return hot(caller, SESSION, {
      organizationId,
      ...state,
      id: uuidOf(state.id),
      expiresAt: new Date(state.expiresAt * 1000),
      originalExpiresAt: null,
    });
  }

  async lock(caller: Caller, id: OwnId): Promise<LockedSession> {
    const [row] = await this.database.query<Row & { isStored: boolean }>(LOCK, await this.keyOf(caller, id));
    if (!row) throw notFound('id', caller.mode);
    return { session: fromRow(row), isStored: row.isStored };
  }

  change(caller: TimedCaller, { state }: CheckoutSession): Part {
    const { id, status, paymentStatus, expiresAt, originalExpiresAt, awaits } = state;
    const key = [uuidOf(caller.organization), caller.mode, uuidOf(id)];
    const values = [...key, status, paymentStatus, expiresAt, originalExpiresAt, awaits, caller.ahead / 1000];
    return { name: 'checkout.change', owner: caller, sql: CHANGE, values, rows: 1 };
  }

  record(caller: TimedCaller, type: SessionEvent, session: CheckoutSession, reason: string | null = null): Write {
    const { id, notifyUrl } = session.state;
    const data = checkoutSessionJson(session);
    const sequence = type === 'checkout.session.redacted' ? session.version + 1 : session.version;
    return this.outbox.record(caller, { type, object: id, sequence, data, reason, notifyUrl });
  }

  async get(caller: Caller, id: OwnId, param = 'id'): Promise<CheckoutSession> {
    const [row] = await this.database.read<Row>(caller, FIND, await this.keyOf(caller, id));
    if (!row) throw notFound(param, caller.mode);
    return fromRow(row);
  }

  async getShort(caller: Caller, id: OwnId, lines: number): Promise<ShortSession> {
    const values = [...(await this.keyOf(caller, id)), lines];
    const [row] = await this.database.read<Row & ShortSession>(caller, FIND_SHORT, values);
    if (!row) throw notFound('id');
    return { ...row, id: idOf(CHECKOUT_SESSION_ID, row.id, row.mode) };
  }

  async overdue(limit: number, after?: OverdueSession, clock?: MovedClock): Promise<OverdueSession[]> {
    const page = [limit, after?.expiresAt ?? '-infinity', after?.id ?? FIRST_UUID];
    const found = clock
      ? this.database.read<OverdueSession>(clock, OVERDUE_OF_ONE, [
          ...page,
          uuidOf(clock.organization),
          clock.mode,
          clock.ahead / 1000,
        ])
      : this.database.read<OverdueSession>({ queue: OVERDUE.name }, OVERDUE, page);
    return (await found).map((row) => ({ ...row, organization: idOf(ORGANIZATION_ID, row.organization) }));
  }

  async expire({ organization, mode, ahead }: MovedClock, places: readonly string[]): Promise<CheckoutSession[]> {
    return (await this.database.query<Row>(EXPIRE, [uuidOf(organization), mode, places, ahead / 1000])).map(fromRow);
  }

  async list(caller: Caller, filter: CheckoutSessionFilter): Promise<Page<CheckoutSessionSummary>> {
    const { status, reference, limit } = filter;
    const ahead = await this.aheadSeconds(caller);
    const range = createdRange(filter, ahead * 1000);
    const values = [uuidOf(caller.organization), caller.mode, ...range, limit + 1, ahead];
    const list = reference === undefined ? LISTS[status ?? 'all'] : LISTS.reference;
    const more = reference === undefined ? [] : [reference, status];
    const rows = await this.database.read<CheckoutSessionSummary>(caller, list, [...values, ...more]);
    const found = rows.map((row) => ({ ...row, id: idOf(CHECKOUT_SESSION_ID, row.id, row.mode) }));
    return pageOf(found, limit);
  }

  private async keyOf(caller: Caller, id: OwnId): Promise<unknown[]> {
    return [uuidOf(caller.organization), caller.mode, uuidOf(id), await this.aheadSeconds(caller)];
  }

  private async aheadSeconds(caller: Caller): Promise<number> {
    return (await this.clock.at(caller)).ahead / 1000;
  }
}

interface Row extends Omit<CheckoutSessionRecord, 'organizationId' | 'expiresAt' | 'originalExpiresAt'> {
  readonly expiresAt: number;
  readonly originalExpiresAt: number | null;
}

function fromRow(row: Row): CheckoutSession {
  return CheckoutSession.restore({ ...row, id: idOf(CHECKOUT_SESSION_ID, row.id, row.mode) });
}
