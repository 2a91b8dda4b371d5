import { Injectable } from '@nestjs/common';
import type { QueryDeepPartialEntity } from 'typeorm';
import { Database } from '../../../../persistence/database.js';
import { orStale } from '../../../../persistence/retries.js';
import { scopeOf } from '../../../../persistence/rows.js';
import type { Caller } from '../../../../shared/caller.js';
import type { MovedClock } from '../../../../shared/clock.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { type OwnId, ownId } from '../../../../shared/own-id.js';
import type { Unit } from '../../../../shared/unit.js';
import { CHECKOUT_SESSION_ID } from '../../../checkout/index.js';
import { type DueTransfer, Pages, type StoredPage } from '../../application/ports.js';
import { CheckoutPageRecord } from './checkout-page.record.js';
import { LatePaymentRecord } from './late-payment.record.js';

const KEY = ['organization_id', 'mode', 'session_id'];

@Injectable()
export class TypeormPages extends Pages {
  constructor(private readonly database: Database) {
    super();
  }

  async find(caller: Caller, session: string): Promise<StoredPage> {
    const key = keyOf(caller, session);
    const page = await this.database.reading(caller, (manager) =>
      manager.findOneBy(CheckoutPageRecord, key),
    );
    return { paymentUrl: page?.paymentUrl ?? null, isStarted: Boolean(page?.startedAt) };
  }

  start(unit: Unit, session: string): void {
    this.upsert(unit, { ...keyOf(unit, session), startedAt: () => 'now()' }, 'started_at');
  }

  setPaymentUrl(unit: Unit, session: string, paymentUrl: string): void {
    this.upsert(unit, { ...keyOf(unit, session), paymentUrl }, 'payment_url');
  }

  addTransfer(unit: Unit, session: OwnId, dueAt: Date): void {
    const row = { ...keyOf(unit, session), dueAt };
    this.database.atCommit(unit, ({ manager }) =>
      manager
        .createQueryBuilder()
        .insert()
        .into(LatePaymentRecord)
        .values(row)
        .orIgnore()
        .execute(),
    );
  }

  async takeTransfer(unit: Unit, session: OwnId): Promise<boolean> {
    const key = keyOf(unit, session);
    const { affected } = await this.database.inTransaction(unit, ({ manager }) =>
      manager.delete(LatePaymentRecord, key),
    );
    return affected === 1;
  }

  async dueTransfers(
    limit: number,
    after?: DueTransfer,
    clock?: MovedClock,
  ): Promise<DueTransfer[]> {
    const rows = await this.database.reading(
      clock ?? { queue: 'page.due_transfers' },
      (manager) => {
        const query = manager.createQueryBuilder(LatePaymentRecord, 'late');
        query.where('late.due_at <= now() + make_interval(secs => :ahead)', {
          ahead: (clock?.ahead ?? 0) / 1000,
        });
        if (clock) query.andWhere(scopeOf(clock));
        else query.comment('every organization: transfers to all of them arrive');
        if (after) query.andWhere('late.session_id > :after', { after: uuidOf(after.session) });
        return query.orderBy('late.session_id').limit(limit).getMany();
      },
    );
    return rows.map(({ organizationId, mode, session }) => {
      const caller = { organization: idOf(ORGANIZATION_ID, organizationId), mode };
      return { caller, session: ownId(caller, idOf(CHECKOUT_SESSION_ID, session, mode)) };
    });
  }

  /**
   * Inserts or updates a row. TypeORM's `upsert` would set the columns of the key too, and Citus
   * moves no row to another organization.
   */
  private upsert(
    unit: Unit,
    row: QueryDeepPartialEntity<CheckoutPageRecord>,
    column: string,
  ): void {
    this.database.atCommit(unit, ({ manager }) => {
      const insert = manager.createQueryBuilder().insert().into(CheckoutPageRecord).values(row);
      return orStale(insert.orUpdate([column], KEY).execute(), 'checkout_pages_session_fkey');
    });
  }
}

const keyOf = (caller: Caller, session: string) => ({
  ...scopeOf(caller),
  session: uuidOf(session),
});
