import { Injectable } from '@nestjs/common';
import { type Selected, selectionOf } from '../../../../platform/database/columns.js';
import { Database } from '../../../../platform/database/database.js';
import { insertInto } from '../../../../platform/database/form.js';
import { findOwner, ledgerStatements, pageOfAll } from '../../../../platform/database/ledger-rows.js';
import { hot, type Part } from '../../../../platform/database/statement.js';
import type { Caller, Ledger } from '../../../../shared/caller.js';
import { notFound } from '../../../../shared/errors.js';
import { idOf, uuidOf } from '../../../../shared/id.js';
import type { Page } from '../../../../shared/page.js';
import { Holds, type LedgerHoldFilter, type OwnedHold } from '../../application/ports.js';
import { HOLD_ID, Hold } from '../../domain/hold.js';
import { PAYMENT_ID } from '../../domain/payment.js';
import { HoldRecord } from './hold.record.js';

const HOLD = insertInto('new_hold', HoldRecord);

const COLUMNS = selectionOf(HoldRecord);

const SCOPE = 'organization_id = $1 AND mode = $2';
const SELECT = `SELECT ${COLUMNS} FROM payment_holds WHERE ${SCOPE}`;
const FIND = { name: 'payments.find_hold', text: `${SELECT} AND id = $3` };
const CLOSE = `UPDATE payment_holds SET status = $4 WHERE ${SCOPE} AND id = $3`;
const LEDGER = ledgerStatements({
  table: 'payment_holds',
  columns: COLUMNS,
  filters: ['payment_id', 'status'],
  few: ['payment_id'],
  order: 'desc',
});

@Injectable()
export class PostgresHolds extends Holds {
  constructor(private readonly database: Database) {
    super();
  }

  add(caller: Caller, { state }: Hold): Part {
    const ids = { organizationId: uuidOf(caller.organization), id: uuidOf(state.id), payment: uuidOf(state.payment) };
    return hot(caller, HOLD, { ...state, ...ids });
  }

  close(caller: Caller, { state: { id, status } }: Hold): Part {
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(id), status];
    return { name: 'payments.close_hold', owner: caller, sql: CLOSE, values, rows: 1 };
  }

  async get(caller: Caller, id: string): Promise<Hold> {
    const [row] = await this.database.read<Row>(caller, FIND, [uuidOf(caller.organization), caller.mode, uuidOf(id)]);
    if (!row) throw notFound('id');
    return fromRow(row);
  }

  ownerOf(ledger: Ledger, id: string, organization?: string | null): Promise<Caller> {
    return findOwner(this.database, LEDGER, { ledger, id, organization });
  }

  listOfAll(ledger: Ledger, filter: LedgerHoldFilter): Promise<Page<OwnedHold>> {
    const { payment, status } = filter;
    const values = { payment_id: payment && uuidOf(payment), status };
    return pageOfAll(this.database, LEDGER, { ledger, filter, values }, (row: Row, organization) => {
      return { organization, hold: fromRow(row) };
    });
  }
}

type Row = Selected<HoldRecord>;

function fromRow(row: Row): Hold {
  const { id, mode, payment } = row;
  return Hold.restore({ ...row, id: idOf(HOLD_ID, id), payment: idOf(PAYMENT_ID, payment, mode) });
}
