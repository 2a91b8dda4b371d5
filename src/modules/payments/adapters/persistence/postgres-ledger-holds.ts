import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { ledgerLists, listFor } from '../../../../platform/database/ledger-list.js';
import { findOwner, ownerStatement } from '../../../../platform/database/owners.js';
import type { Caller, Ledger } from '../../../../shared/caller.js';
import { idOf, idRange, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { type Page, pageOf } from '../../../../shared/page.js';
import { type LedgerHoldFilter, LedgerHolds, type OwnedHold } from '../../application/ports.js';
import { COLUMNS, fromRow, type Row } from './postgres-holds.js';

const OWNER = ownerStatement('payment_holds');
const LISTS = ledgerLists({
  table: 'payment_holds',
  columns: COLUMNS,
  filters: ['payment_id', 'status', 'organization_id'],
  few: ['payment_id'],
  order: 'desc',
});

interface OwnedRow extends Row {
  readonly organization: string;
}

@Injectable()
export class PostgresLedgerHolds extends LedgerHolds {
  constructor(private readonly database: Database) {
    super();
  }

  ownerOf(ledger: Ledger, id: string, organization?: string | null): Promise<Caller> {
    return findOwner(this.database, OWNER, { ledger, id, organization });
  }

  async list(ledger: Ledger, filter: LedgerHoldFilter): Promise<Page<OwnedHold>> {
    const { payment, status, organization, limit } = filter;
    const { statement, values } = listFor(LISTS, {
      payment_id: payment && uuidOf(payment),
      status,
      organization_id: organization && uuidOf(organization),
    });
    const owner = organization === undefined ? ledger : { organization };
    const all = [ledger.mode, ...idRange(filter), limit + 1, ...values];
    return pageOf((await this.database.read<OwnedRow>(owner, statement, all)).map(fromOwnedRow), limit);
  }
}

function fromOwnedRow({ organization, ...row }: OwnedRow): OwnedHold {
  return { organization: idOf(ORGANIZATION_ID, organization), hold: fromRow(row) };
}
