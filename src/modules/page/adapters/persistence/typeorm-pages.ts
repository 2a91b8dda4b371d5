import { Injectable } from '@nestjs/common';
import type { QueryDeepPartialEntity } from 'typeorm';
import { Database } from '../../../../persistence/database.js';
import { scopeOf } from '../../../../persistence/rows.js';
import { orStale } from '../../../../platform/retries.js';
import type { Caller } from '../../../../shared/caller.js';
import type { MovedClock } from '../../../../shared/clock.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { type OwnId, ownId } from '../../../../shared/own-id.js';
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
    const page = await this.database.reading(caller, (manager) => manager.findOneBy(CheckoutPageRecord, key));
    return { paymentUrl: page?.paymentUrl ?? null, isStarted: Boolean(page?.startedAt) };
  }

  async start(caller: Caller, session: string): Promise<void> {
    await this.upsert({ ...keyOf(caller, session), startedAt: () => 'now()' }, 'started_at');
  }

  async setPaymentUrl(caller: Caller, session: string, paymentUrl: string): Promise<void> {
    const upsert = this.upsert({ ...keyOf(caller, session), paymentUrl }, 'payment_url');
    await orStale(upsert, 'checkout_pages_session_fkey');
  }

  async addTransfer(caller: Caller, session: OwnId, dueAt: Date): Promise<void> {
    const row = { ...keyOf(caller, session), dueAt };
    await this.database.repository(LatePaymentRecord).createQueryBuilder().insert().values(row).orIgnore().execute();
  }

  async takeTransfer(caller: Caller, session: OwnId): Promise<boolean> {
    const { affected } = await this.database.repository(LatePaymentRecord).delete(keyOf(caller, session));
    return affected === 1;
  }

  async dueTransfers(limit: number, after?: DueTransfer, clock?: MovedClock): Promise<DueTransfer[]> {
    const rows = await this.database.reading(clock ?? { queue: 'page.due_transfers' }, (manager) => {
      const query = manager.createQueryBuilder(LatePaymentRecord, 'late');
      query.where('late.due_at <= now() + make_interval(secs => :ahead)', { ahead: (clock?.ahead ?? 0) / 1000 });
      if (clock) query.andWhere(scopeOf(clock));
      else query.comment('every organization: transfers to all of them arrive');
      if (after) query.andWhere('late.session_id > :after', { after: uuidOf(after.session) });
      return query.orderBy('late.session_id').limit(limit).getMany();
    });
    return rows.map(({ organizationId, mode, session }) => {
      const caller = { organization: idOf(ORGANIZATION_ID, organizationId), mode };
      return { caller, session: ownId(caller, idOf(CHECKOUT_SESSION_ID, session, mode)) };
    });
  }

  /** Not TypeORM's `upsert`, which would set the columns of the key too, and Citus moves no row to another organization. */
  private upsert(row: QueryDeepPartialEntity<CheckoutPageRecord>, column: string) {
    const insert = this.database.repository(CheckoutPageRecord).createQueryBuilder().insert().values(row);
    return insert.orUpdate([column], KEY).execute();
  }
}

const keyOf = (caller: Caller, session: string) => ({ ...scopeOf(caller), session: uuidOf(session) });
