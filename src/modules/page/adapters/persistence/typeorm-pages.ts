import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { scopeOf } from '../../../../platform/database/rows.js';
import type { Caller } from '../../../../shared/caller.js';
import { uuidOf } from '../../../../shared/id.js';
import { Pages, type StoredPage } from '../../application/ports.js';
import { CheckoutPageRecord } from './checkout-page.record.js';
import { PaymentUrlRecord } from './payment-url.record.js';

const PAGE_KEY = ['organizationId', 'mode', 'session'];

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
    await this.database.repository(CheckoutPageRecord).upsert(row, PAGE_KEY);
  }

  async setPaymentUrl(caller: Caller, session: string, paymentUrl: string): Promise<void> {
    const row = { ...keyOf(caller, session), paymentUrl };
    await this.database.repository(CheckoutPageRecord).upsert(row, PAGE_KEY);
  }

  async setOrganizationPaymentUrl(caller: Caller, url: string | null): Promise<void> {
    const urls = this.database.repository(PaymentUrlRecord);
    if (url === null) await urls.delete(scopeOf(caller));
    else await urls.upsert({ ...scopeOf(caller), url }, ['organizationId', 'mode']);
  }

  async organizationPaymentUrl(caller: Caller): Promise<string | null> {
    const own = scopeOf(caller);
    const row = await this.database.reading(caller, (manager) => manager.findOneBy(PaymentUrlRecord, own));
    return row?.url ?? null;
  }
}

const keyOf = (caller: Caller, session: string) => ({ ...scopeOf(caller), session: uuidOf(session) });
