import { Injectable } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import { keyOf, pageOfRows } from '../../../../persistence/rows.js';
import { type Caller, type Ledger, Owners } from '../../../../shared/caller.js';
import { notFound } from '../../../../shared/errors.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { type Page, pageOf } from '../../../../shared/page.js';
import type { Unit } from '../../../../shared/unit.js';
import { Holds, type LedgerHoldFilter } from '../../application/ports.js';
import { HOLD_ID, Hold } from '../../domain/hold.js';
import { PAYMENT_ID } from '../../domain/payment.js';
import { HoldRecord } from './hold.record.js';

@Injectable()
export class TypeormHolds extends Holds {
  constructor(
    private readonly database: Database,
    private readonly owners: Owners,
  ) {
    super();
  }

  add(unit: Unit, { state }: Hold): void {
    const { organization: _, ...row } = state;
    const ids = { ...keyOf(unit, state.id), payment: uuidOf(state.payment) };
    this.database.atCommit(unit, ({ manager }) => manager.insert(HoldRecord, { ...row, ...ids }));
  }

  close(unit: Unit, { state: { id, status } }: Hold): void {
    this.database.atCommit(unit, ({ manager }) =>
      manager.update(HoldRecord, keyOf(unit, id), { status }),
    );
  }

  async get(caller: Caller, id: string): Promise<Hold> {
    const row = await this.database.reading(caller, (manager) =>
      manager.findOneBy(HoldRecord, keyOf(caller, id)),
    );
    if (!row) throw notFound('id');
    return fromRow(row);
  }

  async listOfAll(
    ledger: Ledger,
    { organization, payment, status, ...page }: LedgerHoldFilter,
  ): Promise<Page<Hold>> {
    const owner = await this.owners.listed(ledger, { organization, resource: payment });
    if (owner === undefined) return pageOf<Hold>([]);
    const where = { payment: payment && uuidOf(payment), status };
    return pageOfRows(this.database, HoldRecord, { owner, where, page }, fromRow);
  }
}

function fromRow({ organizationId, ...row }: HoldRecord): Hold {
  const { id, mode, payment } = row;
  const ids = { id: idOf(HOLD_ID, id), payment: idOf(PAYMENT_ID, payment, mode) };
  return Hold.restore({ ...row, ...ids, organization: idOf(ORGANIZATION_ID, organizationId) });
}
