import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../../persistence/database.js';
import { StoredPersonalData } from '../../../../persistence/personal-data.js';
import { keyOf, scopeOf } from '../../../../persistence/rows.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerClock } from '../../../../shared/clock.js';
import { idOf, uuidOf } from '../../../../shared/id.js';
import { type OwnId, ownId } from '../../../../shared/own-id.js';
import type { Unit } from '../../../../shared/unit.js';
import {
  type ClosedPage,
  type ClosedSession,
  SessionDetails,
  type SessionWithEmail,
} from '../../application/ports.js';
import { CHECKOUT_SESSION_ID, type CheckoutSession } from '../../domain/checkout-session.js';
import { NO_DETAILS } from '../../domain/session-terms.js';
import { SESSION_OBJECT } from '../representation/checkout-sessions.views.js';
import { CheckoutSessionRecord } from './checkout-session.record.js';
import { clock, isOverdue } from './checkout-session-statements.js';

const WITH_EMAIL_AT_ONCE = 1000;

/**
 * The expression is that of the index. A session that expired by itself, or before this column
 * existed, was closed at its expires_at.
 */
const CLOSED_AT = 'coalesce(closed_at, expires_at)';

@Injectable()
export class TypeormSessionDetails extends SessionDetails {
  constructor(
    private readonly database: Database,
    private readonly personalData: StoredPersonalData,
    private readonly clock: CallerClock,
  ) {
    super();
  }

  clear(unit: Unit, { state }: CheckoutSession): void {
    const { id, status, isRedacted, metadata, lineItems } = state;
    const change = { ...NO_DETAILS, status, isRedacted, metadata, lineItems };
    this.database.atCommit(unit, async (transaction) => {
      await transaction.manager.update(CheckoutSessionRecord, keyOf(unit, id), change);
      await this.personalData.forget(transaction, unit, these([uuidOf(id)]), 'clear');
    });
  }

  async remove(unit: Unit, ids: readonly OwnId[]): Promise<readonly OwnId[]> {
    const expired = {
      where: {
        ...scopeOf(unit),
        id: In(ids.map(uuidOf)),
        status: 'expired',
        isRedacted: false,
      },
      select: { id: true },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    } as const;
    return this.database.inTransaction(unit, async (transaction) => {
      const locked = await transaction.manager.find(CheckoutSessionRecord, expired);
      const all = locked.map(({ id }) => id);
      const kept = await this.personalData.kept(transaction, unit, these(all));
      const gone = all.filter((id) => !kept.includes(id));
      await this.personalData.forget(transaction, unit, these(gone), 'remove');
      const removed = { ...scopeOf(unit), id: In(gone) };
      await transaction.manager.delete(CheckoutSessionRecord, removed);
      return kept.map((id) => idOfRow(unit, { id }));
    });
  }

  async closed(caller: Caller, { days, limit, after }: ClosedPage): Promise<ClosedSession[]> {
    const until = (await this.ahead(caller)) - days * 86_400;
    const rows = await this.database.reading({ queue: 'checkout.closed' }, (manager) => {
      const query = manager
        .createQueryBuilder(CheckoutSessionRecord, 'session')
        .select('session.id', 'id')
        .addSelect(`${CLOSED_AT}::text`, 'closedAt')
        .addSelect(`status = 'expired'`, 'isExpired')
        .where(scopeOf(caller))
        .andWhere(`status <> 'open' AND NOT is_redacted AND ${CLOSED_AT} <= ${clock(':until')}`, {
          until,
        });
      if (after) {
        const place = { closedAt: after.closedAt, id: uuidOf(after.id) };
        query.andWhere(`(${CLOSED_AT}, id) > (:closedAt, :id)`, place);
      }
      query.orderBy(CLOSED_AT).addOrderBy('session.id').limit(limit);
      return query.getRawMany<ClosedSession>();
    });
    return rows.map((row) => ({ ...row, id: idOfRow(caller, row) }));
  }

  async withEmail(caller: Caller, after?: OwnId): Promise<SessionWithEmail[]> {
    const ahead = await this.ahead(caller);
    const rows = await this.database.reading(caller, (manager) => {
      const query = manager
        .createQueryBuilder(CheckoutSessionRecord, 'session')
        .select('session.id', 'id')
        .addSelect('session.customerEmail', 'email')
        .addSelect(`status = 'open' AND NOT (${isOverdue(':ahead')})`, 'isOpen')
        .where(scopeOf(caller))
        .andWhere('session.customerEmail IS NOT NULL')
        .setParameters({ ahead });
      if (after) query.andWhere('session.id > :after', { after: uuidOf(after) });
      query.orderBy('session.id').limit(WITH_EMAIL_AT_ONCE);
      return query.getRawMany<SessionWithEmail>();
    });
    return rows.map((row) => ({ ...row, id: idOfRow(caller, row) }));
  }

  /** Returns the seconds by which the caller's clock is ahead. */
  private async ahead(caller: Caller): Promise<number> {
    return (await this.clock.at(caller)).ahead / 1000;
  }
}

const these = (ids: readonly string[]) => ({ object: SESSION_OBJECT, ids });

function idOfRow(caller: Caller, { id }: { readonly id: string }): OwnId {
  return ownId(caller, idOf(CHECKOUT_SESSION_ID, id, caller.mode));
}
