import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import type { Ledger } from '../../../../shared/caller.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { LedgerHolds, type OwnedHold } from '../../application/ports.js';
import { COLUMNS, fromRow, type Row } from './postgres-holds.js';

const SELECT = `SELECT organization_id AS organization, ${COLUMNS} FROM payment_holds WHERE mode = $1 AND id = $2`;
const FIND = {
  name: 'payments.ledger_find_hold',
  text: `/* every organization: the ledger places holds on payments of all of them */ ${SELECT}`,
};
const FIND_OF_ONE = { name: 'payments.ledger_find_hold_of_one', text: `${SELECT} AND organization_id = $3` };

interface OwnedRow extends Row {
  readonly organization: string;
}

@Injectable()
export class PostgresLedgerHolds extends LedgerHolds {
  constructor(private readonly database: Database) {
    super();
  }

  async find(ledger: Ledger, id: string, organization?: string): Promise<OwnedHold | undefined> {
    const values = [ledger.mode, uuidOf(id)];
    const [row] =
      organization === undefined
        ? await this.database.read<OwnedRow>(FIND, values)
        : await this.database.read<OwnedRow>(FIND_OF_ONE, [...values, uuidOf(organization)]);
    if (!row) return undefined;
    const { organization: owner, ...hold } = row;
    return { organization: idOf(ORGANIZATION_ID, owner), hold: fromRow(hold) };
  }
}
