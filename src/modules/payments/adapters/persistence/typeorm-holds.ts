import { Injectable } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import { findOwner, keyOf, ownerIn, pageOfRows } from '../../../../persistence/rows.js';
import type { Caller, Ledger } from '../../../../shared/caller.js';
import { notFound } from '../../../../shared/errors.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import type { Page } from '../../../../shared/page.js';
import { Holds, type LedgerHoldFilter } from '../../application/ports.js';
import { HOLD_ID, Hold } from '../../domain/hold.js';
import { PAYMENT_ID } from '../../domain/payment.js';
import { HoldRecord } from './hold.record.js';

const OWNER = ownerIn('payment_holds');

@Injectable()
export class TypeormHolds extends Holds {
  constructor(private readonly database: Database) {
    super();
  }

  async add(caller: Caller, { state }: Hold): Promise<void> {
    const { organization: _, ...row } = state;
    const ids = { ...keyOf(caller, state.id), payment: uuidOf(state.payment) };
    await this.database.repository(HoldRecord).insert({ ...row, ...ids });
  }

  async close(caller: Caller, { state: { id, status } }: Hold): Promise<void> {
    await this.database.repository(HoldRecord).update(keyOf(caller, id), { status });
  }

  async get(caller: Caller, id: string): Promise<Hold> {
    const row = await this.database.reading(caller, (manager) => manager.findOneBy(HoldRecord, keyOf(caller, id)));
    if (!row) throw notFound('id');
    return fromRow(row);
  }

  ownerOf(ledger: Ledger, id: string, organization?: string | null): Promise<Caller> {
    return findOwner(this.database, OWNER, { ledger, id, organization });
  }

  listOfAll({ mode }: Ledger, { organization, payment, status, ...page }: LedgerHoldFilter): Promise<Page<Hold>> {
    const where = { payment: payment && uuidOf(payment), status };
    return pageOfRows(this.database, HoldRecord, { owner: { organization, mode }, where, page }, fromRow);
  }
}

function fromRow({ organizationId, ...row }: HoldRecord): Hold {
  const { id, mode, payment } = row;
  const ids = { id: idOf(HOLD_ID, id), payment: idOf(PAYMENT_ID, payment, mode) };
  return Hold.restore({ ...row, ...ids, organization: idOf(ORGANIZATION_ID, organizationId) });
}
