import { Injectable } from '@nestjs/common';
import { isDistributed } from '../../../../platform/database/citus.js';
import { Database } from '../../../../platform/database/database.js';
import type { Ledger } from '../../../../shared/caller.js';
import { FIRST_UUID, idOf, modeOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { type Claim, type LedgerRefundFilter, LedgerRefunds, type OwnedRefund } from '../../application/ports.js';
import { REFUND_STATUSES } from '../../domain/refund.js';
import { COLUMNS, fromRow, type Row } from './postgres-refunds.js';

const OF_ALL = '/* every organization: the ledger decides refunds of all of them */';
const SELECT = `SELECT organization_id AS organization, ${COLUMNS} FROM refunds`;
const OLDEST = 'ORDER BY id LIMIT $4';

/** Every status is named so that the index on (mode, status, id) finds the one row. */
const FIND = {
  name: 'refunds.ledger_find',
  text: `${OF_ALL} ${SELECT} WHERE mode = $1 AND id = $2 AND status IN ('${REFUND_STATUSES.join("', '")}')`,
};
const FIND_OF_ONE = {
  name: 'refunds.ledger_find_of_one',
  text: `${SELECT} WHERE mode = $1 AND id = $2 AND organization_id = $3`,
};
const LIST = {
  name: 'refunds.ledger_list',
  text: `${OF_ALL} ${SELECT} WHERE mode = $1 AND status = $2 AND id > $3 ${OLDEST}`,
};
const LIST_OF_ONE = {
  name: 'refunds.ledger_list_of_one',
  text: `${SELECT} WHERE mode = $1 AND status = $2 AND id > $3 AND organization_id = $5 ${OLDEST}`,
};

const CLAIMED = `UPDATE refunds SET claim_number = claim_number + 1,
    claim_expires_at = statement_timestamp() + make_interval(secs => $3)
  WHERE mode = $1`;
const PENDING = `FROM refunds WHERE mode = $1 AND status = 'pending'`;
const LOCKED = 'FOR NO KEY UPDATE SKIP LOCKED';

/**
 * Workers claim at the same time: each skips the rows that another one has locked. Both subqueries read refunds_claim_list in
 * its order. The update finds the rows by ctid, which cannot change while they are locked; for a join by id, the planner does
 * not know how few rows there are.
 */
const CLAIM = {
  name: 'refunds.claim',
  text: `${OF_ALL} WITH lapsed AS MATERIALIZED (
      SELECT ctid ${PENDING} AND claim_expires_at <= statement_timestamp() ORDER BY claim_expires_at, id LIMIT $2 ${LOCKED}
    ), unclaimed AS MATERIALIZED (
      SELECT ctid ${PENDING} AND claim_expires_at IS NULL ORDER BY claim_expires_at, id
      LIMIT $2 - (SELECT count(*) FROM lapsed) ${LOCKED}
    )
    ${CLAIMED} AND ctid = ANY (ARRAY(SELECT ctid FROM lapsed UNION ALL SELECT ctid FROM unclaimed))
    RETURNING organization_id AS organization, ${COLUMNS}`,
};

/** The same for one organization. It sorts all pending refunds of that organization, which are few. */
const UNCLAIMED = '(claim_expires_at IS NULL OR claim_expires_at <= statement_timestamp())';
const CLAIM_OF_ONE = {
  name: 'refunds.claim_of_one',
  text: `WITH claimed AS (
      ${CLAIMED} AND organization_id = $4 AND ctid = ANY (ARRAY(
        SELECT ctid ${PENDING} AND organization_id = $4 AND ${UNCLAIMED} ORDER BY id LIMIT $2 ${LOCKED}))
      RETURNING *
    )
    SELECT organization_id AS organization, ${COLUMNS} FROM claimed`,
};
/** Citus cannot lock rows of several shards. This statement finds the owners of the oldest refunds, to claim from one at a time. */
const OWNERS = {
  name: 'refunds.claim_owners',
  text: `${OF_ALL} SELECT organization_id AS organization, count(*)::integer AS count FROM (
      SELECT organization_id ${PENDING} AND ${UNCLAIMED} ORDER BY id LIMIT $2) AS oldest GROUP BY organization_id`,
};

interface Owner {
  readonly organization: string;
  readonly count: number;
}

interface OwnedRow extends Row {
  readonly organization: string;
}

@Injectable()
export class PostgresLedgerRefunds extends LedgerRefunds {
  constructor(private readonly database: Database) {
    super();
  }

  async find(ledger: Ledger, id: string, organization?: string): Promise<OwnedRefund | undefined> {
    if (modeOf(id) !== ledger.mode) return undefined;
    const values = [ledger.mode, uuidOf(id)];
    const [row] =
      organization === undefined
        ? await this.database.read<OwnedRow>(FIND, values)
        : await this.database.read<OwnedRow>(FIND_OF_ONE, [...values, uuidOf(organization)]);
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

  async claim(ledger: Ledger, { limit, leaseSeconds, organization }: Claim): Promise<OwnedRefund[]> {
    const take = (most: number, owner: string) =>
      this.database.query<OwnedRow>(CLAIM_OF_ONE, [ledger.mode, most, leaseSeconds, owner]);
    let rows: OwnedRow[] = [];
    if (organization !== undefined) rows = await take(limit, uuidOf(organization));
    else if (!(await isDistributed(this.database))) {
      rows = await this.database.query<OwnedRow>(CLAIM, [ledger.mode, limit, leaseSeconds]);
    } else {
      const owners = await this.database.query<Owner>(OWNERS, [ledger.mode, limit]);
      for (const { organization: owner, count } of owners) rows.push(...(await take(count, owner)));
    }
    return rows.map(fromOwnedRow).sort(byAge);
  }
}

/** IDs sort by creation time. */
const byAge = (one: OwnedRefund, other: OwnedRefund) => (one.refund.state.id < other.refund.state.id ? -1 : 1);

function fromOwnedRow({ organization, ...row }: OwnedRow): OwnedRefund {
  return { organization: idOf(ORGANIZATION_ID, organization), refund: fromRow(row) };
}
