import { Injectable } from '@nestjs/common';
import { In, type ObjectLiteral, type QueryDeepPartialEntity } from 'typeorm';
import { Database } from '../../../../persistence/database.js';
import { scopeOf } from '../../../../persistence/rows.js';
import { orStale } from '../../../../platform/retries.js';
import type { Caller } from '../../../../shared/caller.js';
import type { MovedClock } from '../../../../shared/clock.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { type OwnId, ownId } from '../../../../shared/own-id.js';
import { CHECKOUT_SESSION_ID } from '../../../checkout/index.js';
import { type DueTransfer, Pages, type PaymentUrls, type StoredPage } from '../../application/ports.js';
import { CheckoutPageRecord } from './checkout-page.record.js';
import { LatePaymentRecord } from './late-payment.record.js';
import { PaymentUrlRecord } from './payment-url.record.js';

const KEY = ['organization_id', 'mode'];

@Injectable()
export class TypeormPages extends Pages {
  constructor(private readonly database: Database) {
    super();
  }

  async find(caller: Caller, session: string): Promise<StoredPage> {
    const key = keyOf(caller, session);
    const page = await this.database.reading(caller, (manager) => manager.findOneBy(CheckoutPageRecord, key));
    const paymentUrl = page?.paymentUrl ?? (await this.organizationPaymentUrl(caller));
    return { paymentUrl, isStarted: Boolean(page?.startedAt) };
  }

  async start(caller: Caller, session: string): Promise<void> {
    const row = { ...keyOf(caller, session), startedAt: () => 'now()' };
    await this.insert(CheckoutPageRecord, row)
      .orUpdate(['started_at'], [...KEY, 'session_id'])
      .execute();
  }

  async setPaymentUrl(caller: Caller, session: string, paymentUrl: string): Promise<void> {
    const row = { ...keyOf(caller, session), paymentUrl };
    const insert = this.insert(CheckoutPageRecord, row).orUpdate(['payment_url'], [...KEY, 'session_id']);
    await orStale(insert.execute(), 'checkout_pages_session_fkey');
  }

  async setOrganizationPaymentUrl(caller: Caller, url: string | null): Promise<void> {
    const own = scopeOf(caller);
    if (url === null) await this.database.repository(PaymentUrlRecord).delete(own);
    else
      await this.insert(PaymentUrlRecord, { ...own, url })
        .orUpdate(['url'], KEY)
        .execute();
  }

  async organizationPaymentUrl(caller: Caller): Promise<string | null> {
    const row = await this.database.reading(caller, (manager) => manager.findOneBy(PaymentUrlRecord, scopeOf(caller)));
    return row?.url ?? null;
  }

  async paymentUrlsOf(organizations: readonly string[]): Promise<PaymentUrls[]> {
    const ids = organizations.map((id) => uuidOf(id));
    const rows = await this.database.reading({ queue: 'payment urls' }, (manager) =>
      manager
        .createQueryBuilder(PaymentUrlRecord, 'row')
        .comment('every organization: an operator lists several')
        .where({ organizationId: In(ids) })
        .getMany(),
    );
    return organizations.map((organization) => {
      const own = rows.filter(({ organizationId }) => idOf(ORGANIZATION_ID, organizationId) === organization);
      return { test: null, live: null, ...Object.fromEntries(own.map(({ mode, url }) => [mode, url])) };
    });
  }

  async addTransfer(caller: Caller, session: OwnId, dueAt: Date): Promise<void> {
    const row = { ...keyOf(caller, session), dueAt };
    await this.insert(LatePaymentRecord, row).orIgnore().execute();
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

  /** Not `upsert`, which would set the columns of the key too, and Citus moves no row to another organization. */
  private insert<Row extends ObjectLiteral>(record: new () => Row, row: QueryDeepPartialEntity<Row>) {
    return this.database.repository(record).createQueryBuilder().insert().values(row);
  }
}

const keyOf = (caller: Caller, session: string) => ({ ...scopeOf(caller), session: uuidOf(session) });
