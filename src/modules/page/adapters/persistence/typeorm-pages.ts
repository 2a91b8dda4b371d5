import { Injectable } from '@nestjs/common';
import type { QueryDeepPartialEntity } from 'typeorm';
import { Database } from '../../../../persistence/database.js';
import { scopeOf } from '../../../../persistence/rows.js';
import { orStale } from '../../../../platform/retries.js';
import type { Caller } from '../../../../shared/caller.js';
import { uuidOf } from '../../../../shared/id.js';
import { Pages, type StoredPage } from '../../application/ports.js';
import { CheckoutPageRecord } from './checkout-page.record.js';

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

  /** Not TypeORM's `upsert`, which would set the columns of the key too, and Citus moves no row to another organization. */
  private upsert(row: QueryDeepPartialEntity<CheckoutPageRecord>, column: string) {
    const insert = this.database.repository(CheckoutPageRecord).createQueryBuilder().insert().values(row);
    return insert.orUpdate([column], KEY).execute();
  }
}

const keyOf = (caller: Caller, session: string) => ({ ...scopeOf(caller), session: uuidOf(session) });
