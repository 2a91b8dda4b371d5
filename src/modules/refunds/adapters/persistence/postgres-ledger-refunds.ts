import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import type { Ledger } from '../../../../shared/caller.js';
import { FIRST_UUID, idOf, modeOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { type LedgerRefundFilter, LedgerRefunds, type OwnedRefund } from '../../application/ports.js';
import { REFUND_STATUSES } from '../../domain/refund.js';
import { COLUMNS, fromRow, type Row } from './postgres-refunds.js';

const SELECT = `SELECT organization_id AS organization, ${COLUMNS} FROM refunds`;
const OLDEST = 'ORDER BY id LIMIT $4';

/** Every status is named so that the index on (mode, status, id) finds the one row. */
const FIND = {
  name: 'refunds.ledger_find',
  text: `${SELECT} WHERE mode = $1 AND id = $2 AND status IN ('${REFUND_STATUSES.join("', '")}')`,
};
const LIST = {
  name: 'refunds.ledger_list',
  text: `${SELECT} WHERE mode = $1 AND status = $2 AND id > $3 ${OLDEST}`,
};
const LIST_OF_ONE = {
  name: 'refunds.ledger_list_of_one',
  text: `${SELECT} WHERE mode = $1 AND status = $2 AND id > $3 AND organization_id = $5 ${OLDEST}`,
};

interface OwnedRow extends Row {
  readonly organization: string;
}

@Injectable()
export class PostgresLedgerRefunds extends LedgerRefunds {
  constructor(private readonly database: Database) {
    super();
  }

  async find(ledger: Ledger, id: string): Promise<OwnedRefund | undefined> {
    if (modeOf(id) !== ledger.mode) return undefined;
    const [row] = await this.database.read<OwnedRow>(FIND, [ledger.mode, uuidOf(id)]);
    return row && fromOwnedRow(row);
  }

  async list(ledger: Ledger, { status, organization, cursor, limit }: LedgerRefundFilter): Promise<OwnedRefund[]> {
    const values = [ledger.mode, status, cursor === undefined ? FIRST_UUID : uuidOf(cursor), limit + 1];
    const rows =
      organization === undefined
        ? await this.database.read<OwnedRow>(LIST, values)
        : await this.database.read<OwnedRow>(LIST_OF_ONE, [...values, uuidOf(organization)]);
    return rows.map(fromOwnedRow);
  }
}

function fromOwnedRow({ organization, ...row }: OwnedRow): OwnedRefund {
  return { organization: idOf(ORGANIZATION_ID, organization), refund: fromRow(row) };
}
