import { Injectable } from '@nestjs/common';
import { insertInto } from '../../../../persistence/batched.js';
import { columnsOf } from '../../../../persistence/columns.js';
import { Database } from '../../../../persistence/database.js';
import { keyOf, keysetOf, scopeOf } from '../../../../persistence/rows.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerClock, type MovedClock } from '../../../../shared/clock.js';
import { notFound } from '../../../../shared/errors.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
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
  CHANGE,
  EXPIRE,
  EXPIRE_WITH_REFERENCE,
  FIND,
  isOverdue,
  LISTS,
  REFERENCED,
  type SessionRow,
  type SummaryRow,
  WITH_REFERENCE,
} from './checkout-session-statements.js';

const SESSION = insertInto('new_session', CheckoutSessionRecord);

const ALL_BUT_LINES = columnsOf(CheckoutSessionRecord)
  .filter(({ property }) => property !== 'lineItems')
  .map(({ property }) => `session.${property}`);
const LINE_DISCOUNT = `(SELECT sum((line->>'amountDiscount')::bigint)::bigint
  FROM json_array_elements(line_items) AS element (line))`;
const FIRST_LINES = `(SELECT json_agg(line ORDER BY place)
  FROM json_array_elements(line_items) WITH ORDINALITY AS element (line, place)
  WHERE place <= :lines)`;

/** `add`, `get` and `list` are measured hot: they have SQL of their own. */
@Injectable()
export class TypeormCheckoutSessions extends CheckoutSessions {
  constructor(
    private readonly database: Database,
    private readonly clock: CallerClock,
  ) {
    super();
  }

  add(unit: Unit, { state }: CheckoutSession): void {
    const row = {
      organizationId: uuidOf(unit.organization),
      ...state,
      id: uuidOf(state.id),
      expiresAt: new Date(state.expiresAt * 1000),
      originalExpiresAt: null,
    };
    const stale = ['checkout_sessions_unique_reference'];
    this.database.batched(unit, SESSION, row, { stale });
  }

  async lock(unit: Unit, id: OwnId, param = 'id'): Promise<LockedSession> {
    const { entities, raw } = await this.database.inTransaction(unit, ({ manager }) =>
      manager
        .createQueryBuilder(CheckoutSessionRecord, 'session')
        .addSelect(isOverdue(':ahead'), 'isOverdue')
        .where(keyOf(unit, id))
        .setParameter('ahead', secondsOf(unit))
        .setLock('pessimistic_write')
        .getRawAndEntities<{ isOverdue: boolean }>(),
    );
    const [row] = entities;
    if (!row) throw notFound(param, unit.mode);
    const isLate = Boolean(raw[0]?.isOverdue);
    return { session: CheckoutSession.restore(stateOf(row, isLate)), isStored: !isLate };
  }

  change(unit: Unit, { state }: CheckoutSession): void {
    const key = { ...scope(unit, unit.ahead), id: uuidOf(state.id) };
    const closedAhead = state.status === 'open' ? null : key.ahead;
    this.database.changing(unit, ...CHANGE.of({ ...state, ...key, closedAhead }), 1);
  }

  async get(caller: Caller, id: OwnId, param = 'id'): Promise<CheckoutSession> {
    const { ahead } = await this.clock.at(caller);
    const key = { ...scope(caller, ahead), id: uuidOf(id) };
    const [row] = await this.database.read<SessionRow>(caller, ...FIND.of(key));
    if (!row) throw notFound(param, caller.mode);
    return fromRow(row);
  }

  async getShort(caller: Caller, id: OwnId, lines: number): Promise<ShortSession> {
    const ahead = secondsOf(await this.clock.at(caller));
    const { entities, raw } = await this.database.reading(caller, (manager) =>
      manager
        .createQueryBuilder(CheckoutSessionRecord, 'session')
        .select(ALL_BUT_LINES)
        .addSelect(isOverdue(':ahead'), 'isOverdue')
        .addSelect(FIRST_LINES, 'lineItems')
        .addSelect('json_array_length(line_items)', 'lineCount')
        .addSelect(LINE_DISCOUNT, 'lineDiscount')
        .where(keyOf(caller, id))
        .setParameters({ ahead, lines })
        .getRawAndEntities<ShortRow>(),
    );
    const [row, short] = [entities[0], raw[0]];
    if (!row || !short) throw notFound('id');
    const { lineItems, lineCount, lineDiscount } = short;
    return { ...stateOf(row, short.isOverdue), lineItems, lineCount, lineDiscount };
  }

  async overdue(
    limit: number,
    after?: OverdueSession,
    clock?: MovedClock,
  ): Promise<OverdueSession[]> {
    const owner = clock ?? { queue: 'checkout.overdue' };
    const rows = await this.database.reading(owner, (manager) => {
      const query = manager
        .createQueryBuilder(CheckoutSessionRecord, 'session')
        .select('session.organizationId', 'organization')
        .addSelect('session.mode', 'mode')
        .addSelect('ctid', 'place')
        .addSelect('expires_at::text', 'expiresAt')
        .addSelect('session.id', 'id')
        .where(isOverdue(':ahead'), { ahead: clock ? secondsOf(clock) : 0 });
      if (clock) query.andWhere(scopeOf(clock));
      else query.comment('every organization: overdue sessions of all of them expire');
      if (after) query.andWhere('(expires_at, id) > (:expiresAt, :id)', after);
      query.orderBy('session.expiresAt').addOrderBy('session.id').limit(limit);
      return query.getRawMany<OverdueSession>();
    });
    return rows.map((row) => ({ ...row, organization: idOf(ORGANIZATION_ID, row.organization) }));
  }

  async expire(unit: Unit, places: readonly string[], ahead: number): Promise<CheckoutSession[]> {
    const own = { ...scope(unit, ahead), places };
    return (await this.database.query<SessionRow>(unit, ...EXPIRE.of(own))).map(fromRow);
  }

  async withReference(unit: Unit, reference: string): Promise<CheckoutSessionSummary[]> {
    const own = { ...scope(unit, unit.ahead), reference };
    const rows = await this.database.read<SummaryRow>(unit, ...WITH_REFERENCE.of(own));
    return rows.map((row) => summaryOf(unit, row));
  }

  async expireWithReference(unit: Unit, reference: string): Promise<CheckoutSession[]> {
    const own = { ...scope(unit, unit.ahead), reference };
    const expired = EXPIRE_WITH_REFERENCE.of(own);
    return (await this.database.query<SessionRow>(unit, ...expired)).map(fromRow);
  }

  async list(caller: Caller, filter: CheckoutSessionFilter): Promise<Page<CheckoutSessionSummary>> {
    const { status, reference, limit } = filter;
    const { ahead } = await this.clock.at(caller);
    const page = { ...scope(caller, ahead), ...keysetOf(filter, ahead), limit: limit + 1 };
    const statement =
      reference === undefined
        ? LISTS[status ?? 'all'].of(page)
        : REFERENCED.of({ ...page, reference, status });
    const rows = await this.database.read<SummaryRow>(caller, ...statement);
    const items = rows.map((row) => summaryOf(caller, row));
    return pageOf(items, limit);
  }
}

const scope = ({ organization, mode }: Caller, ahead: number) => {
  return { organization: uuidOf(organization), mode, ahead: ahead / 1000 };
};

const secondsOf = ({ ahead }: { readonly ahead: number }): number => ahead / 1000;

interface ShortRow extends Pick<ShortSession, 'lineItems' | 'lineCount' | 'lineDiscount'> {
  readonly isOverdue: boolean;
}

function summaryOf({ mode }: Caller, row: SummaryRow): CheckoutSessionSummary {
  const { status, paymentStatus, currency, amountTotal } = row;
  const id = idOf(CHECKOUT_SESSION_ID, row.id, mode);
  return { id, mode, status, paymentStatus, currency, amountTotal };
}

function fromRow(row: SessionRow): CheckoutSession {
  return CheckoutSession.restore({ ...row, id: idOf(CHECKOUT_SESSION_ID, row.id, row.mode) });
}

/** An open session past its expires_at is expired, even before the sweeper has stored that. */
function stateOf(
  { organizationId: _, ...row }: CheckoutSessionRecord,
  isLate: boolean,
): CheckoutSessionState {
  return {
    ...row,
    id: idOf(CHECKOUT_SESSION_ID, row.id, row.mode),
    status: isLate ? 'expired' : row.status,
    expiresAt: unixSeconds(row.expiresAt),
    originalExpiresAt: row.originalExpiresAt && unixSeconds(row.originalExpiresAt),
  };
}

const unixSeconds = (time: Date): number => Math.round(time.getTime() / 1000);
