import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import type { Ledger } from '../../../../shared/caller.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { LedgerHolds, type OwnedHold } from '../../application/ports.js';
import { COLUMNS, fromRow, type Row } from './postgres-holds.js';

const FIND = {
  name: 'payments.ledger_find_hold',
  text: `/* every organization: the ledger holds payments of all of them */
    SELECT organization_id AS organization, ${COLUMNS} FROM payment_holds WHERE mode = $1 AND id = $2`,
};

interface OwnedRow extends Row {
  readonly organization: string;
}

@Injectable()
export class PostgresLedgerHolds extends LedgerHolds {
  constructor(private readonly database: Database) {
    super();
  }

  async find(ledger: Ledger, id: string): Promise<OwnedHold | undefined> {
    const [row] = await this.database.read<OwnedRow>(FIND, [ledger.mode, uuidOf(id)]);
    if (!row) return undefined;
    const { organization, ...hold } = row;
    return { organization: idOf(ORGANIZATION_ID, organization), hold: fromRow(hold) };
  }
}
