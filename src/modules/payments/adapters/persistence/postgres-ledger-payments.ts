import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import type { Statement } from '../../../../platform/database/statement.js';
import type { Ledger } from '../../../../shared/caller.js';
import { idOf, idRange, modeOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { type LedgerPaymentFilter, LedgerPayments, type OwnedPayment } from '../../application/ports.js';
import { COLUMNS, fromRow, type Row } from './postgres-payments.js';

const SELECT = `SELECT organization_id AS organization, ${COLUMNS} FROM payments WHERE mode = $1`;
const OF_ALL = '/* every organization: the ledger captured the payments of all of them */';
const FIND = { name: 'payments.ledger_find', text: `${OF_ALL} ${SELECT} AND id = $2` };
const FIND_OF_ONE = { name: 'payments.ledger_find_of_one', text: `${SELECT} AND id = $2 AND organization_id = $3` };
const PAGE = 'id >= $2 AND id < $3 ORDER BY id DESC LIMIT $4';

const FILTERS = ['reference', 'checkout_session_id', 'organization_id'] as const;
type Filter = (typeof FILTERS)[number];

interface OwnedRow extends Row {
  readonly organization: string;
}

@Injectable()
export class PostgresLedgerPayments extends LedgerPayments {
  constructor(private readonly database: Database) {
    super();
  }

  async find(ledger: Ledger, id: string, organization?: string): Promise<OwnedPayment | undefined> {
    if (modeOf(id) !== ledger.mode) return undefined;
    const values = [ledger.mode, uuidOf(id)];
    const [row] =
      organization === undefined
        ? await this.database.read<OwnedRow>(FIND, values)
        : await this.database.read<OwnedRow>(FIND_OF_ONE, [...values, uuidOf(organization)]);
    return row && fromOwnedRow(row);
  }

  async list(ledger: Ledger, filter: LedgerPaymentFilter): Promise<OwnedPayment[]> {
    const { reference, checkoutSession, organization, limit } = filter;
    if (checkoutSession !== undefined && modeOf(checkoutSession) !== ledger.mode) return [];
    const given: Readonly<Record<Filter, string | undefined>> = {
      reference,
      checkout_session_id: checkoutSession && uuidOf(checkoutSession),
      organization_id: organization && uuidOf(organization),
    };
    const names = FILTERS.filter((name) => given[name] !== undefined);
    const range = idRange({ ...filter, from: undefined, to: undefined });
    const values = [ledger.mode, ...range, limit + 1, ...names.map((name) => given[name])];
    return (await this.database.read<OwnedRow>(listStatement(names), values)).map(fromOwnedRow);
  }
}

/** One statement for each combination of filters. A reference or a session has few payments: the CTE finds them before it sorts. */
function listStatement(names: readonly Filter[]): Statement {
  const name = ['payments.ledger', ...names].join(' ');
  const select = names.includes('organization_id') ? SELECT : `${OF_ALL} ${SELECT}`;
  const filtered = [select, ...names.map((column, place) => `${column} = $${place + 5}`)].join(' AND ');
  if (names.every((column) => column === 'organization_id')) return { name, text: `${filtered} AND ${PAGE}` };
  return { name, text: `WITH found AS MATERIALIZED (${filtered}) SELECT * FROM found WHERE ${PAGE}` };
}

function fromOwnedRow({ organization, ...row }: OwnedRow): OwnedPayment {
  return { organization: idOf(ORGANIZATION_ID, organization), payment: fromRow(row) };
}
