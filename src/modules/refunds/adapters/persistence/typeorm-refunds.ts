import { Injectable } from '@nestjs/common';
import { In, Not, Raw } from 'typeorm';
import { insertInto } from '../../../../persistence/batched.js';
import { selectionOf } from '../../../../persistence/columns.js';
import { Database } from '../../../../persistence/database.js';
import { keyOf, pageOfRows, scopeOf } from '../../../../persistence/rows.js';
import { findById, type Places } from '../../../../persistence/statement.js';
import { type Caller, type Ledger, Owners } from '../../../../shared/caller.js';
import { CallerClock, type MovedClock } from '../../../../shared/clock.js';
import { notFound } from '../../../../shared/errors.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import type { OwnId } from '../../../../shared/own-id.js';
import { type Page, pageOf } from '../../../../shared/page.js';
import type { Unit } from '../../../../shared/unit.js';
import { PAYMENT_ID } from '../../../payments/index.js';
import { type RefundFilter, Refunds } from '../../application/ports.js';
import { Refund } from '../../domain/refund.js';
import { isWaiting, type Payout, REFUND_ID, type RefundStatus } from '../../domain/refund-state.js';
import { RefundRecord, timesOf, WAITING } from './refund.record.js';

const REFUND = insertInto('new_refund', RefundRecord);

export const COLUMNS = `organization_id AS "organizationId", ${selectionOf(RefundRecord)}`;
interface Key {
  readonly organization: string;
  readonly mode: string;
  readonly id: string;
}

const isOwn = ({ organization, mode }: Places<Key>) =>
  `organization_id = ${organization} AND mode = ${mode}`;
const FIND = findById<Key>(
  'refunds.find',
  (key) => `SELECT ${COLUMNS} FROM refunds WHERE ${isOwn(key)} AND id = ${key.id}`,
);
export const refundsOfPayment = (payment: Places<Key>) =>
  `SELECT id FROM refunds WHERE ${isOwn(payment)} AND payment_id = ${payment.id}`;

@Injectable()
export class TypeormRefunds extends Refunds {
  constructor(
    private readonly database: Database,
    private readonly clock: CallerClock,
    private readonly owners: Owners,
  ) {
    super();
  }

  add(unit: Unit, { state }: Refund): void {
    const organizationId = uuidOf(unit.organization);
    const ids = { organizationId, id: uuidOf(state.id), payment: uuidOf(state.payment) };
    const stale = ['refunds_reference_key', 'refunds_made_elsewhere_key'];
    this.database.batched(unit, REFUND, { ...state, ...ids, ...timesOf(state) }, { stale });
  }

  change(unit: Unit, { state }: Refund): void {
    const change = {
      status: state.status,
      failureReason: state.failureReason,
      providerReference: state.providerReference,
      lapses: state.lapses,
      approval: state.approval,
      decidedBy: state.decidedBy,
      comment: state.comment,
      ...timesOf(state),
    };
    this.database.atCommit(unit, ({ manager }) =>
      manager.update(RefundRecord, keyOf(unit, state.id), change),
    );
  }

  async lock(unit: Unit, id: OwnId) {
    const { entities, raw } = await this.database.inTransaction(unit, ({ manager }) => {
      const refund = manager.createQueryBuilder(RefundRecord, 'refund').where(keyOf(unit, id));
      const locked = refund.setLock('for_no_key_update').addSelect('statement_timestamp()', 'now');
      return locked.getRawAndEntities<{ now: Date }>();
    });
    if (!entities[0] || !raw[0]) throw notFound('id');
    return { refund: fromRow(entities[0]), now: raw[0].now.getTime() };
  }

  async byReference(caller: Caller, reference: string): Promise<Refund | undefined> {
    const key = { ...scopeOf(caller), reference };
    const row = await this.database.reading(caller, (manager) =>
      manager.findOneBy(RefundRecord, key),
    );
    return row ? fromRow(row) : undefined;
  }

  async lockOfPayment(unit: Unit, payment: OwnId): Promise<readonly Refund[]> {
    const where = {
      ...scopeOf(unit),
      payment: uuidOf(payment),
      status: In(['pending', 'succeeded']),
    };
    const lock = { mode: 'for_no_key_update' } as const;
    const rows = await this.database.inTransaction(unit, ({ manager }) =>
      manager.find(RefundRecord, { where, order: { id: 'ASC' }, lock }),
    );
    return rows.map(fromRow);
  }

  async byPayout(
    caller: Caller,
    { payment, amount, providerReference }: Payout,
  ): Promise<Refund | undefined> {
    if (providerReference === null) return undefined;
    const paid = { ...scopeOf(caller), providerReference, status: Not('canceled') };
    const row = await this.database.reading(caller, (manager) =>
      manager
        .createQueryBuilder(RefundRecord, 'refund')
        .where(paid)
        .orderBy('payment_id = :payment AND amount = :amount', 'DESC')
        .addOrderBy(`status = 'failed'`)
        .addOrderBy('made_elsewhere', 'DESC')
        .addOrderBy('id')
        .setParameters({ payment: uuidOf(payment), amount })
        .limit(1)
        .getOne(),
    );
    return row ? fromRow(row) : undefined;
  }

  async get(caller: Caller, id: OwnId): Promise<Refund> {
    const key = { organization: uuidOf(caller.organization), mode: caller.mode, id: uuidOf(id) };
    const [row] = await this.database.read<RefundRecord>(caller, ...FIND.of(key));
    if (!row) throw notFound('id');
    return fromRow(row);
  }

  async read(caller: Caller, id: OwnId): Promise<Refund> {
    return this.asOfNow(await this.get(caller, id));
  }

  async list(caller: Caller, filter: RefundFilter): Promise<Page<Refund>> {
    const { payment, status, reference, onlyWaiting, ...page } = filter;
    const { now, ahead } = await this.clock.at(caller);
    const where = conditionsOf(payment, status);
    if (reference === undefined) {
      const only = [`${WAITING} AND approval_expires_at > :now`, { now: new Date(now) }] as const;
      const listed = { owner: caller, where, page, ahead, ...(onlyWaiting && { only }) };
      return pageOfRows(this.database, RefundRecord, listed, fromRow);
    }
    // A search by its reference alone finds at most one refund. The planner would take the index of
    // another filter, which has many.
    const listed = { owner: caller, where: { reference }, page, ahead, isOne: true };
    const { items, ...rest } = await pageOfRows(this.database, RefundRecord, listed, fromRow);
    const suits = (refund: Refund) =>
      refund.state.payment === (payment ?? refund.state.payment) &&
      refund.state.status === (status ?? refund.state.status) &&
      (!onlyWaiting || isWaiting(refund.asOf(now).state));
    return { ...rest, items: items.filter(suits) };
  }

  async listOfAll(ledger: Ledger, filter: RefundFilter): Promise<Page<Refund>> {
    const { organization, payment, status, ...page } = filter;
    const owner = await this.owners.listed(ledger, { organization, resource: payment });
    if (owner === undefined) return pageOf<Refund>([]);
    const where = conditionsOf(payment, status);
    const only = status && ([`NOT (${WAITING})`] as const);
    const listed = { owner, where, page, order: 'asc', ...(only && { only }) } as const;
    const { items, hasMore } = await pageOfRows(this.database, RefundRecord, listed, fromRow);
    return { items: await Promise.all(items.map((refund) => this.asOfNow(refund))), hasMore };
  }

  async overdue(limit: number, after?: Refund, clock?: MovedClock): Promise<readonly Refund[]> {
    const found = await this.database.reading(clock ?? { queue: 'refunds.overdue' }, (manager) => {
      const query = manager.createQueryBuilder(RefundRecord, 'row').where(WAITING);
      const ahead = (clock?.ahead ?? 0) / 1000;
      query.andWhere(
        'approval_expires_at <= statement_timestamp() + make_interval(secs => :ahead)',
        { ahead },
      );
      if (clock) query.andWhere(scopeOf(clock));
      else query.comment('every organization: approvals of all of them expire');
      if (after) {
        const { approvalExpiresAt, id } = after.state;
        const last = { expiresAt: new Date(approvalExpiresAt as number), last: uuidOf(id) };
        query.andWhere('(approval_expires_at, id) > (:expiresAt, :last)', last);
      }
      return query.orderBy('approval_expires_at').addOrderBy('id').limit(limit).getMany();
    });
    return found.map(fromRow);
  }

  private async asOfNow(refund: Refund): Promise<Refund> {
    if (!isWaiting(refund.state)) return refund;
    const { now } = await this.clock.at(refund.state);
    return refund.asOf(now);
  }
}

/**
 * A payment has few refunds. The planner would take the index of a status, which has many more, if
 * the condition did not hide the status from it.
 */
function conditionsOf(payment: OwnId | undefined, status: RefundStatus | undefined) {
  if (payment === undefined || status === undefined)
    return { payment: payment && uuidOf(payment), status };
  const hidden = Raw((column) => `${column}::text = :status`, { status });
  return { payment: uuidOf(payment), status: hidden };
}

export function fromRow({ organizationId, ...row }: RefundRecord): Refund {
  const { id, mode, payment, claimExpiresAt, claimableAt, approvalExpiresAt, decidedAt } = row;
  const organization = idOf(ORGANIZATION_ID, organizationId);
  const ids = {
    organization,
    id: idOf(REFUND_ID, id, mode),
    payment: idOf(PAYMENT_ID, payment, mode),
  };
  const times = {
    claimExpiresAt: claimExpiresAt?.getTime() ?? null,
    claimableAt: claimableAt.getTime(),
    approvalExpiresAt: approvalExpiresAt?.getTime() ?? null,
    decidedAt: decidedAt?.getTime() ?? null,
  };
  return Refund.restore({ ...row, ...ids, ...times });
}
