import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { ledgerLists, listFor } from '../../../../platform/database/ledger-list.js';
import { findOwner, ownerStatement } from '../../../../platform/database/owners.js';
import type { Caller, Ledger } from '../../../../shared/caller.js';
import { idOf, idRange, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import type { OwnId } from '../../../../shared/own-id.js';
import { type Page, pageOf } from '../../../../shared/page.js';
import { type LedgerRefundFilter, LedgerRefunds, type OwnedRefund } from '../../application/ports.js';
import { COLUMNS, fromRow, type Row } from './postgres-refunds.js';

const OWNER = ownerStatement('refunds');
const LISTS = ledgerLists({
  table: 'refunds',
  columns: COLUMNS,
  filters: ['payment_id', 'status', 'organization_id'],
  few: ['payment_id'],
  order: 'asc',
});

interface OwnedRow extends Row {
  readonly organization: string;
}

@Injectable()
export class PostgresLedgerRefunds extends LedgerRefunds {
  constructor(private readonly database: Database) {
    super();
  }

  ownerOf(ledger: Ledger, id: OwnId, organization?: string | null): Promise<Caller> {
    return findOwner(this.database, OWNER, { ledger, id, organization });
  }

  async list(ledger: Ledger, filter: LedgerRefundFilter): Promise<Page<OwnedRefund>> {
    const { status, payment, organization, limit } = filter;
    const filters = {
      status,
      payment_id: payment && uuidOf(payment),
      organization_id: organization && uuidOf(organization),
    };
    const range = idRange({ ...filter, order: 'asc' });
    const { statement, values } = listFor(LISTS, filters);
    const owner = organization === undefined ? ledger : { organization };
    const rows = await this.database.read<OwnedRow>(owner, statement, [ledger.mode, ...range, limit + 1, ...values]);
    return pageOf(rows.map(fromOwnedRow), limit);
  }
}

function fromOwnedRow({ organization, ...row }: OwnedRow): OwnedRefund {
  return { organization: idOf(ORGANIZATION_ID, organization), refund: fromRow(row) };
}
