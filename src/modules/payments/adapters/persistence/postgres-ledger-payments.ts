import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { ledgerLists, listFor } from '../../../../platform/database/ledger-list.js';
import { findOwner, ownerStatement } from '../../../../platform/database/owners.js';
import type { Caller, Ledger } from '../../../../shared/caller.js';
import { idOf, idRange, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import type { OwnId } from '../../../../shared/own-id.js';
import { type Page, pageOf } from '../../../../shared/page.js';
import { type LedgerPaymentFilter, LedgerPayments, type OwnedPayment } from '../../application/ports.js';
import { COLUMNS, fromRow, type Row } from './postgres-payments.js';

const OWNER = ownerStatement('payments');
const LISTS = ledgerLists({
  table: 'payments',
  columns: COLUMNS,
  filters: ['reference', 'checkout_session_id', 'organization_id'],
  few: ['reference', 'checkout_session_id'],
  order: 'desc',
});

interface OwnedRow extends Row {
  readonly organization: string;
}

@Injectable()
export class PostgresLedgerPayments extends LedgerPayments {
  constructor(private readonly database: Database) {
    super();
  }

  ownerOf(ledger: Ledger, id: OwnId, organization?: string | null): Promise<Caller> {
    return findOwner(this.database, OWNER, { ledger, id, organization });
  }

  async list(ledger: Ledger, filter: LedgerPaymentFilter): Promise<Page<OwnedPayment>> {
    const { reference, checkoutSession, organization, limit } = filter;
    const { statement, values } = listFor(LISTS, {
      reference,
      checkout_session_id: checkoutSession && uuidOf(checkoutSession),
      organization_id: organization && uuidOf(organization),
    });
    const owner = organization === undefined ? ledger : { organization };
    const all = [ledger.mode, ...idRange(filter), limit + 1, ...values];
    return pageOf((await this.database.read<OwnedRow>(owner, statement, all)).map(fromOwnedRow), limit);
  }
}

function fromOwnedRow({ organization, ...row }: OwnedRow): OwnedPayment {
  return { organization: idOf(ORGANIZATION_ID, organization), payment: fromRow(row) };
}
