import { Injectable } from '@nestjs/common';
import { insertInto, type Selected, selectionOf } from '../../../../platform/database/columns.js';
import { Database } from '../../../../platform/database/database.js';
import type { Part } from '../../../../platform/database/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { notFound } from '../../../../shared/errors.js';
import { idOf, idRange, modeOf, uuidOf } from '../../../../shared/id.js';
import { PAYMENT_ID } from '../../../payments/index.js';
import { type RefundFilter, Refunds } from '../../application/ports.js';
import { REFUND_ID, Refund } from '../../domain/refund.js';
import { RefundRecord } from './refund.record.js';

const insert = insertInto('refunds.add', RefundRecord);

export const COLUMNS = selectionOf(RefundRecord, {
  claimExpiresAt: '(extract(epoch FROM claim_expires_at) * 1000)::bigint',
});

const SCOPE = 'organization_id = $1 AND mode = $2';
const SELECT = `SELECT ${COLUMNS} FROM refunds WHERE ${SCOPE}`;
const FIND = { name: 'refunds.find', text: `${SELECT} AND id = $3` };

/** $7 to $9 are the state that the change was decided on: of concurrent changes, only the first one matches. */
const CHANGE = `UPDATE refunds
  SET status = $4, failure_reason = $5, claim_expires_at = CASE WHEN $6 THEN claim_expires_at END
  WHERE ${SCOPE} AND id = $3 AND status = $7 AND claim_number = $8 AND (claim_expires_at IS NOT NULL) = $9`;

const LOCK = { name: 'refunds.lock', text: `${FIND.text} FOR NO KEY UPDATE` };
const EXTEND = {
  name: 'refunds.extend',
  text: `WITH extended AS (
      UPDATE refunds
      SET claim_expires_at = greatest(claim_expires_at, statement_timestamp() + make_interval(secs => $4))
      WHERE ${SCOPE} AND id = $3 RETURNING *
    ) SELECT ${COLUMNS} FROM extended`,
};

const PAGE = `${SELECT} AND id >= $3 AND id < $4`;
const NEWEST = 'ORDER BY id DESC LIMIT $5';

/** One statement for each combination of filters, so that each has a plan of its own. */
const LISTS = {
  all: { name: 'refunds.list', text: `${PAGE} ${NEWEST}` },
  // A range of (status, id), so that the planner uses the index on both: by id alone, it might read many rows of other statuses.
  status: {
    name: 'refunds.list_status',
    text: `${SELECT} AND (status, id) >= ($6, $3) AND (status, id) < ($6, $4) ORDER BY status DESC, id DESC LIMIT $5`,
  },
  payment: { name: 'refunds.list_payment', text: `${PAGE} AND payment_id = $6 ${NEWEST}` },
  // IS TRUE stops the planner from using the index on status, by which it might read many rows of other payments.
  both: { name: 'refunds.list_both', text: `${PAGE} AND payment_id = $6 AND (status = $7) IS TRUE ${NEWEST}` },
} as const;

@Injectable()
export class PostgresRefunds extends Refunds {
  constructor(private readonly database: Database) {
    super();
  }

  add(caller: Caller, { state }: Refund): Part {
    const organizationId = uuidOf(caller.organization);
    return insert({
      organizationId,
      ...state,
      id: uuidOf(state.id),
      payment: uuidOf(state.payment),
      claimExpiresAt: null,
    });
  }

  change(caller: Caller, before: Refund, { state }: Refund): Part {
    const { id, status, failureReason } = state;
    const after = [status, failureReason, state.claimExpiresAt !== null];
    const guard = [before.state.status, before.state.claimNumber, before.state.claimExpiresAt !== null];
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(id), ...after, ...guard];
    return { name: 'refunds.change', sql: CHANGE, values, rows: 1 };
  }

  async lock(caller: Caller, id: string): Promise<Refund> {
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(id)];
    const [row] = modeOf(id) === caller.mode ? await this.database.query<Row>(LOCK, values) : [];
    if (!row) throw notFound('id');
    return fromRow(row);
  }

  async extend(caller: Caller, { state: { id } }: Refund, leaseSeconds: number): Promise<Refund> {
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(id), leaseSeconds];
    const [row] = await this.database.query<Row>(EXTEND, values);
    return fromRow(row as Row);
  }

  async get(caller: Caller, id: string): Promise<Refund> {
    const refund = modeOf(id) === caller.mode ? await this.find(caller, id) : undefined;
    if (!refund) throw notFound('id');
    return refund;
  }

  async find(caller: Caller, id: string): Promise<Refund | undefined> {
    const [row] = await this.database.read<Row>(FIND, [uuidOf(caller.organization), modeOf(id), uuidOf(id)]);
    return row && fromRow(row);
  }

  async list(caller: Caller, filter: RefundFilter): Promise<Refund[]> {
    const { payment, status, limit } = filter;
    const filters = [...(payment === undefined ? [] : [uuidOf(payment)]), ...(status === undefined ? [] : [status])];
    const values = [uuidOf(caller.organization), caller.mode, ...idRange(filter), limit + 1, ...filters];
    // A payment of the other mode has no refunds in this mode.
    if (payment !== undefined && modeOf(payment) !== caller.mode) return [];
    return (await this.database.read<Row>(LISTS[listFor(filter)], values)).map(fromRow);
  }
}

function listFor({ payment, status }: RefundFilter): keyof typeof LISTS {
  if (payment === undefined) return status === undefined ? 'all' : 'status';
  return status === undefined ? 'payment' : 'both';
}

export type Row = Selected<RefundRecord, { claimExpiresAt: number | null }>;

export function fromRow(row: Row): Refund {
  const { id, mode, payment } = row;
  return Refund.restore({ ...row, id: idOf(REFUND_ID, id, mode), payment: idOf(PAYMENT_ID, payment, mode) });
}
