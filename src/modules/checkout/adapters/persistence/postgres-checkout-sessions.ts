import { Injectable } from '@nestjs/common';
import { insertInto } from '../../../../persistence/batched.js';
import { selectionOf } from '../../../../persistence/columns.js';
import { Database } from '../../../../persistence/database.js';
import { type Places, statement } from '../../../../persistence/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerClock, type MovedClock } from '../../../../shared/clock.js';
import { notFound } from '../../../../shared/errors.js';
import { createdRange, FIRST_UUID, idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import type { OwnId } from '../../../../shared/own-id.js';
import { type Page, pageOf } from '../../../../shared/page.js';
import type { Unit } from '../../../../shared/unit.js';
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
  type CheckoutSessionState,
  type CheckoutSessionSummary,
} from '../../domain/checkout-session.js';
import { CheckoutSessionRecord } from './checkout-session.record.js';
import {
  clock,
  isOverdue,
  isOwn,
  LISTS,
  REFERENCED,
  type Scope,
  status,
} from './checkout-session-lists.js';

const SESSION = insertInto('new_session', CheckoutSessionRecord);

const columnsWith = (status: string, lineItems = 'line_items') =>
  selectionOf(CheckoutSessionRecord, {
    ...{ status, lineItems },
    expiresAt: 'extract(epoch FROM expires_at)::bigint',
    originalExpiresAt: 'extract(epoch FROM original_expires_at)::bigint',
  });

interface Key extends Scope {
  readonly id: string;
}

const byId = (key: Places<Key>) => `WHERE ${isOwn(key)} AND id = ${key.id}`;

/** The one that was found last is `expiresAt` and `id`. */
interface Overdue {
  readonly limit: number;
  readonly expiresAt: string;
  readonly id: string;
}

const overdue = (
  page: Places<Overdue>,
  own: string,
  seconds: string,
) => `SELECT organization_id AS organization, mode, ctid AS place,
    expires_at::text AS "expiresAt", id FROM checkout_sessions
  WHERE ${own} ${isOverdue(seconds)} AND (expires_at, id) > (${page.expiresAt}, ${page.id}) ORDER BY expires_at, id LIMIT ${page.limit}`;
const OVERDUE = statement<Overdue>(
  'checkout.overdue',
  (page) =>
    `/* every organization: overdue sessions of all of them expire */ ${overdue(page, '', '0')}`,
);
const OVERDUE_OF_ONE = statement<Overdue & Scope>('checkout.overdue_of_one', (page) =>
  overdue(page, `${isOwn(page)} AND`, page.ahead),
);
/** SKIP LOCKED: several instances sweep at once, and a session that is being paid stays open for its payment. */
const EXPIRE = statement<Scope & { readonly places: readonly string[] }>(
  'checkout.expire_overdue',
  (own) => `WITH expired AS (
      UPDATE checkout_sessions SET status = 'expired' WHERE ${isOwn(own)} AND ctid = ANY (ARRAY(
        SELECT ctid FROM checkout_sessions
        WHERE ${isOwn(own)} AND ctid = ANY (${own.places}::tid[]) AND ${isOverdue(own.ahead)}
        FOR NO KEY UPDATE SKIP LOCKED))
      RETURNING *
    ) SELECT ${columnsWith('status')} FROM expired`,
);

const FIND = statement<Key>(
  'checkout.find',
  (key) => `SELECT ${columnsWith(status(key.ahead))} FROM checkout_sessions ${byId(key)}`,
);
const FIND_SHORT = statement<Key & { readonly lines: number }>(
  'checkout.find_short',
  (
    key,
  ) => `SELECT ${columnsWith(status(key.ahead), 'first_lines')}, line_count AS "lineCount", line_discount AS "lineDiscount" FROM checkout_sessions
    CROSS JOIN LATERAL (SELECT count(*)::integer AS line_count,
        sum((line->>'amountDiscount')::bigint)::bigint AS line_discount, json_agg(line ORDER BY place) FILTER (WHERE place <= ${key.lines}) AS first_lines
      FROM json_array_elements(line_items) WITH ORDINALITY AS element (line, place)) AS lines ${byId(key)}`,
);
const LOCK = statement<Key>(
  'checkout.lock',
  (key) => `SELECT ${columnsWith(status(key.ahead))}, NOT (${isOverdue(key.ahead)}) AS "isStored"
    FROM checkout_sessions ${byId(key)} FOR UPDATE`,
);
type Changed = Pick<
  CheckoutSessionState,
  'status' | 'paymentStatus' | 'expiresAt' | 'originalExpiresAt' | 'awaits'
>;
interface Change extends Key, Changed {
  /** The seconds of `ahead` if the change closes the session. Null if it stays open. */
  readonly closedAhead: number | null;
}
/**
 * Guarded by the number of waits, too: a change that was decided before the last wait has another
 * expires_at. The time of closing is null without its seconds, because make_interval() is strict:
 * Citus refuses a CASE around statement_timestamp() in an UPDATE.
 */
const CHANGE = statement<Change>(
  'checkout.change',
  (to) => `UPDATE checkout_sessions
  SET status = ${to.status}, payment_status = ${to.paymentStatus},
    expires_at = to_timestamp(${to.expiresAt}),
    original_expires_at = to_timestamp(${to.originalExpiresAt}), awaits = ${to.awaits},
    closed_at = ${clock(to.closedAhead)}
  ${byId(to)} AND status = 'open' AND expires_at > ${clock(to.ahead)} AND awaits <= ${to.awaits}`,
);

@Injectable()
export class PostgresCheckoutSessions extends CheckoutSessions {
  constructor(
    private readonly database: Database,
    private readonly clock: CallerClock,
  ) {
    super();
  }

  add(unit: Unit, { state }: CheckoutSession): void {
    const organizationId = uuidOf(unit.organization);
    this.database.batched(unit, SESSION, {
      organizationId,
      ...state,
      id: uuidOf(state.id),
      expiresAt: new Date(state.expiresAt * 1000),
      originalExpiresAt: null,
    });
  }

  async lock(unit: Unit, id: OwnId): Promise<LockedSession> {
    const [row] = await this.database.query<Row & { isStored: boolean }>(
      unit,
      ...LOCK.of(await this.keyOf(unit, id)),
    );
    if (!row) throw notFound('id', unit.mode);
    return { session: fromRow(row), isStored: row.isStored };
  }

  change(unit: Unit, { state }: CheckoutSession): void {
    const key = { ...scope(unit, unit.ahead), id: uuidOf(state.id) };
    const closedAhead = state.status === 'open' ? null : key.ahead;
    this.database.changing(unit, ...CHANGE.of({ ...state, ...key, closedAhead }), 1);
  }

  async get(caller: Caller, id: OwnId, param = 'id'): Promise<CheckoutSession> {
    const [row] = await this.database.read<Row>(caller, ...FIND.of(await this.keyOf(caller, id)));
    if (!row) throw notFound(param, caller.mode);
    return fromRow(row);
  }

  async getShort(caller: Caller, id: OwnId, lines: number): Promise<ShortSession> {
    const statement = FIND_SHORT.of({ ...(await this.keyOf(caller, id)), lines });
    const [row] = await this.database.read<Row & ShortSession>(caller, ...statement);
    if (!row) throw notFound('id');
    return { ...row, id: idOf(CHECKOUT_SESSION_ID, row.id, row.mode) };
  }

  async overdue(
    limit: number,
    after?: OverdueSession,
    clock?: MovedClock,
  ): Promise<OverdueSession[]> {
    const page = { limit, expiresAt: after?.expiresAt ?? '-infinity', id: after?.id ?? FIRST_UUID };
    const found = clock
      ? this.database.read<OverdueSession>(
          clock,
          ...OVERDUE_OF_ONE.of({ ...page, ...scope(clock, clock.ahead) }),
        )
      : this.database.read<OverdueSession>({ queue: OVERDUE.name }, ...OVERDUE.of(page));
    return (await found).map((row) => ({
      ...row,
      organization: idOf(ORGANIZATION_ID, row.organization),
    }));
  }

  async expire(unit: Unit, places: readonly string[], ahead: number): Promise<CheckoutSession[]> {
    return (
      await this.database.query<Row>(unit, ...EXPIRE.of({ ...scope(unit, ahead), places }))
    ).map(fromRow);
  }

  async list(caller: Caller, filter: CheckoutSessionFilter): Promise<Page<CheckoutSessionSummary>> {
    const { status, reference, limit } = filter;
    const { ahead } = await this.clock.at(caller);
    const [low, high, from, to] = createdRange(filter, ahead);
    const page = { ...scope(caller, ahead), low, high, from, to, limit: limit + 1 };
    const statement =
      reference === undefined
        ? LISTS[status ?? 'all'].of(page)
        : REFERENCED.of({ ...page, reference, status });
    const rows = await this.database.read<CheckoutSessionSummary>(caller, ...statement);
    const found = rows.map((row) => ({ ...row, id: idOf(CHECKOUT_SESSION_ID, row.id, row.mode) }));
    return pageOf(found, limit);
  }

  private async keyOf(caller: Caller, id: OwnId): Promise<Key> {
    return { ...scope(caller, (await this.clock.at(caller)).ahead), id: uuidOf(id) };
  }
}

const scope = ({ organization, mode }: Caller, ahead: number): Scope => {
  return { organization: uuidOf(organization), mode, ahead: ahead / 1000 };
};

interface Row
  extends Omit<CheckoutSessionRecord, 'organizationId' | 'expiresAt' | 'originalExpiresAt'> {
  readonly expiresAt: number;
  readonly originalExpiresAt: number | null;
}

function fromRow(row: Row): CheckoutSession {
  return CheckoutSession.restore({ ...row, id: idOf(CHECKOUT_SESSION_ID, row.id, row.mode) });
}
