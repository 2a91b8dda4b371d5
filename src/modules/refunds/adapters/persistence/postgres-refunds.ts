import { Injectable } from '@nestjs/common';
import { insertInto, type Selected, selectionOf } from '../../../../platform/database/columns.js';
import { createdBetween } from '../../../../platform/database/created.js';
import { Database } from '../../../../platform/database/database.js';
import { findOwner, ledgerStatements, pageOfAll } from '../../../../platform/database/ledger-rows.js';
import type { Part } from '../../../../platform/database/statement.js';
import type { Caller, Ledger } from '../../../../shared/caller.js';
import { CallerClock } from '../../../../shared/clock.js';
import { notFound } from '../../../../shared/errors.js';
import { createdRange, idOf, uuidOf } from '../../../../shared/id.js';
import type { OwnId } from '../../../../shared/own-id.js';
import { type Page, pageOf } from '../../../../shared/page.js';
import { PAYMENT_ID } from '../../../payments/index.js';
import { type LedgerRefundFilter, type OwnedRefund, type RefundFilter, Refunds } from '../../application/ports.js';
import type { Payout } from '../../domain/made-refund.js';
import { REFUND_ID, REFUND_STATUSES, Refund } from '../../domain/refund.js';
import { RefundRecord } from './refund.record.js';

const insert = insertInto('refunds.add', RefundRecord);

const milliseconds = (time: string) => `floor(extract(epoch FROM ${time}) * 1000)::bigint`;
export const COLUMNS = selectionOf(RefundRecord, {
  claimExpiresAt: milliseconds('claim_expires_at'),
  claimableAt: milliseconds('claimable_at'),
});
/** For rows that are locked: the time at which they were read. */
export const NOW = `${milliseconds('statement_timestamp()')} AS now`;

const SCOPE = 'organization_id = $1 AND mode = $2';
const SELECT = `SELECT ${COLUMNS} FROM refunds WHERE ${SCOPE}`;
const FIND = { name: 'refunds.find', text: `${SELECT} AND id = $3` };
export const REFUNDS_OF_PAYMENT = `SELECT id FROM refunds WHERE ${SCOPE} AND payment_id = $3`;
const OF_PAYMENT = {
  name: 'refunds.of_payment',
  text: `${SELECT} AND payment_id = $3 AND status IN ('pending', 'succeeded') ORDER BY id`,
};
const BY_REFERENCE = { name: 'refunds.by_reference', text: `${SELECT} AND reference = $3` };
const BY_PAYOUT = {
  name: 'refunds.by_payout',
  text: `${SELECT} AND provider_reference = $3 AND status <> 'canceled'
    ORDER BY payment_id = $4 AND amount = $5 DESC, status = 'failed', made_elsewhere DESC, id LIMIT 1`,
};

/** $10 to $12 are the state that the change was decided on: of concurrent changes, only the first one matches. */
const CHANGE = `UPDATE refunds SET status = $4, failure_reason = $5, provider_reference = $6, claim_expires_at = $7,
    claimable_at = $8, lapses = $9
  WHERE ${SCOPE} AND id = $3 AND status = $10 AND claim_number = $11 AND (claim_expires_at IS NOT NULL) = $12`;

const LOCK = {
  name: 'refunds.lock',
  text: `SELECT ${COLUMNS}, ${NOW} FROM refunds WHERE ${SCOPE} AND id = $3 FOR NO KEY UPDATE`,
};

const LOCK_PENDING = {
  name: 'refunds.lock_pending',
  text: `SELECT 1 FROM refunds WHERE ${SCOPE} AND payment_id = $3 AND status = 'pending' ORDER BY id FOR NO KEY UPDATE`,
};
const OF_SAME_PAYOUT = `SELECT 1 FROM refunds WHERE ${SCOPE} AND provider_reference = $3 AND payment_id = $4 AND amount = $5
  AND made_elsewhere = $6 AND status = ANY ($7)`;

const CREATED = createdBetween('$5', '$6');
const PAGE = `${SELECT} AND id >= $3 AND id < $4 AND ${CREATED}`;
const NEWEST = 'ORDER BY id DESC LIMIT $7';

/** One statement for each combination of filters, so that each has a plan of its own. */
const LISTS = {
  all: { name: 'refunds.list', text: `${PAGE} ${NEWEST}` },
  // A range of (status, id), so that the planner uses the index on both: by id alone, it might read many rows of other statuses.
  status: {
    name: 'refunds.list_status',
    text: `${SELECT} AND (status, id) >= ($8, $3) AND (status, id) < ($8, $4) AND ${CREATED}
      ORDER BY status DESC, id DESC LIMIT $7`,
  },
  payment: { name: 'refunds.list_payment', text: `${PAGE} AND payment_id = $8 ${NEWEST}` },
  // IS TRUE stops the planner from using the index on status, by which it might read many rows of other payments.
  // At most one refund has the reference. The other filters may be null.
  reference: {
    name: 'refunds.list_reference',
    text: `WITH found AS MATERIALIZED (${SELECT} AND reference = $8) SELECT * FROM found WHERE id >= $3 AND id < $4
      AND ${CREATED} AND coalesce(payment = $9::uuid, true) AND coalesce(status = $10::text, true) LIMIT $7`,
  },
  both: { name: 'refunds.list_both', text: `${PAGE} AND payment_id = $8 AND (status = $9) IS TRUE ${NEWEST}` },
} as const;

const LEDGER = ledgerStatements({
  table: 'refunds',
  columns: COLUMNS,
  filters: ['payment_id', 'status'],
  few: ['payment_id'],
  order: 'asc',
});

@Injectable()
export class PostgresRefunds extends Refunds {
  constructor(
    private readonly database: Database,
    private readonly clock: CallerClock,
  ) {
    super();
  }

  add(caller: Caller, { state }: Refund): Part {
    const organizationId = uuidOf(caller.organization);
    const ids = { organizationId, id: uuidOf(state.id), payment: uuidOf(state.payment) };
    const times = { claimExpiresAt: null, claimableAt: new Date(state.claimableAt) };
    const stale = ['refunds_reference_key', 'refunds_made_elsewhere_key'];
    return { ...insert(caller, { ...state, ...ids, ...times }), stale };
  }

  change(caller: Caller, before: Refund, { state }: Refund): Part {
    const { id, status, failureReason, providerReference, claimExpiresAt, claimableAt, lapses } = state;
    const times = [claimExpiresAt && new Date(claimExpiresAt), new Date(claimableAt)];
    const after = [status, failureReason, providerReference, ...times, lapses];
    const guard = [before.state.status, before.state.claimNumber, before.state.claimExpiresAt !== null];
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(id), ...after, ...guard];
    return { name: 'refunds.change', owner: caller, sql: () => CHANGE, values, rows: 1 };
  }

  async lock(caller: Caller, id: OwnId) {
    const [row] = await this.database.query<LockedRow>(LOCK, [uuidOf(caller.organization), caller.mode, uuidOf(id)]);
    if (!row) throw notFound('id');
    return { refund: fromRow(row), now: row.now };
  }

  async lockPending(caller: Caller, payment: OwnId): Promise<void> {
    await this.database.query(LOCK_PENDING, [uuidOf(caller.organization), caller.mode, uuidOf(payment)]);
  }

  requireOnly(caller: Caller, { state }: Refund): Part {
    const { providerReference, payment, amount, isMadeElsewhere } = state;
    const payout = [providerReference, uuidOf(payment), amount];
    const others = isMadeElsewhere ? REFUND_STATUSES.filter((status) => status !== 'canceled') : ['succeeded'];
    const values = [uuidOf(caller.organization), caller.mode, ...payout, !isMadeElsewhere, others];
    return { name: 'refunds.of_same_payout', owner: caller, sql: () => OF_SAME_PAYOUT, values, rows: 0 };
  }

  async byReference(caller: Caller, reference: string): Promise<Refund | undefined> {
    const values = [uuidOf(caller.organization), caller.mode, reference];
    const [row] = await this.database.read<Row>(caller, BY_REFERENCE, values);
    return row && fromRow(row);
  }

  async ofPayment(caller: Caller, payment: OwnId): Promise<readonly Refund[]> {
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(payment)];
    return (await this.database.read<Row>(caller, OF_PAYMENT, values)).map(fromRow);
  }

  async byPayout(caller: Caller, { payment, amount, providerReference }: Payout): Promise<Refund | undefined> {
    const values = [uuidOf(caller.organization), caller.mode, providerReference, uuidOf(payment), amount];
    const [row] = await this.database.read<Row>(caller, BY_PAYOUT, values);
    return row && fromRow(row);
  }

  async get(caller: Caller, id: OwnId): Promise<Refund> {
    const [row] = await this.database.read<Row>(caller, FIND, [uuidOf(caller.organization), caller.mode, uuidOf(id)]);
    if (!row) throw notFound('id');
    return fromRow(row);
  }

  async list(caller: Caller, filter: RefundFilter): Promise<Page<Refund>> {
    const { payment, status, reference, limit } = filter;
    const name = listFor(filter);
    const given = [reference, payment && uuidOf(payment), status];
    const filters = name === 'reference' ? given : given.filter((value) => value !== undefined);
    const range = createdRange(filter, (await this.clock.at(caller)).ahead);
    const values = [uuidOf(caller.organization), caller.mode, ...range, limit + 1, ...filters];
    return pageOf((await this.database.read<Row>(caller, LISTS[name], values)).map(fromRow), limit);
  }

  ownerOf(ledger: Ledger, id: OwnId, organization?: string | null): Promise<Caller> {
    return findOwner(this.database, LEDGER, { ledger, id, organization });
  }

  listOfAll(ledger: Ledger, filter: LedgerRefundFilter): Promise<Page<OwnedRefund>> {
    const { payment, status } = filter;
    const values = { payment_id: payment && uuidOf(payment), status };
    return pageOfAll(this.database, LEDGER, { ledger, filter, values }, ownedFromRow);
  }
}

function listFor({ payment, status, reference }: RefundFilter): keyof typeof LISTS {
  if (reference !== undefined) return 'reference';
  if (payment === undefined) return status === undefined ? 'all' : 'status';
  return status === undefined ? 'payment' : 'both';
}

export type Row = Selected<RefundRecord, { claimExpiresAt: number | null; claimableAt: number }>;

export interface LockedRow extends Row {
  readonly now: number;
}

function fromRow(row: Row): Refund {
  const { id, mode, payment } = row;
  return Refund.restore({ ...row, id: idOf(REFUND_ID, id, mode), payment: idOf(PAYMENT_ID, payment, mode) });
}

export const ownedFromRow = (row: Row, organization: string): OwnedRefund => ({ organization, refund: fromRow(row) });
