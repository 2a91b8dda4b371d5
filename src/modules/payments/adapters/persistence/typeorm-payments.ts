import { Injectable } from '@nestjs/common';
import { changeAmounts, insertInto } from '../../../../persistence/batched.js';
import { selectionOf } from '../../../../persistence/columns.js';
import { Database } from '../../../../persistence/database.js';
import { keyOf, pageOfRows, scopeOf } from '../../../../persistence/rows.js';
import { findById, type Places } from '../../../../persistence/statement.js';
import { type Caller, type Ledger, Owners } from '../../../../shared/caller.js';
import { CallerClock } from '../../../../shared/clock.js';
import { notFound } from '../../../../shared/errors.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import type { OwnId } from '../../../../shared/own-id.js';
import { type Page, pageOf } from '../../../../shared/page.js';
import type { Unit } from '../../../../shared/unit.js';
import { CHECKOUT_SESSION_ID } from '../../../checkout/index.js';
import {
  type LedgerPaymentFilter,
  type PaymentFilter,
  Payments,
  type RefundAmounts,
} from '../../application/ports.js';
import { AMOUNT_CHANGES, type AmountChange, PAYMENT_ID, Payment } from '../../domain/payment.js';
import { PaymentRecord } from './payment.record.js';

const PAYMENT = insertInto('new_payment', PaymentRecord);

interface Key {
  readonly organization: string;
  readonly mode: string;
  readonly id: string;
}

const byId = ({ organization, mode, id }: Places<Key>) =>
  `WHERE organization_id = ${organization} AND mode = ${mode} AND id = ${id}`;
const FIND = findById<Key>(
  'payments.find',
  (key) => `SELECT organization_id AS "organizationId", ${selectionOf(PaymentRecord)}
  FROM payments ${byId(key)}`,
);
/** Returns SQL for the ID of the session that a payment pays. */
export const sessionOfPayment = (of: Places<Key>) =>
  `SELECT checkout_session_id FROM payments ${byId(of)}`;

/**
 * A sum that is too small, which `reconcile` names, must not keep the outcome of a refund from
 * being stored.
 */
const less = (column: string, amount: string) => `${column} = greatest(${column} - ${amount}, 0)`;
const more = (column: string, amount: string) => `${column} = ${column} + ${amount}`;

/** The amount that is left is computed from the other sums, so it has no column. */
const COMPUTED = 'amount_refundable';
const ON_HOLD = 'amount_on_hold';

function change(name: AmountChange) {
  const { from, to } = AMOUNT_CHANGES[name];
  // A hold is an event of the payment, a refund is one of its own.
  const isEvent = from === ON_HOLD || to === ON_HOLD;
  return changeAmounts(`${name}_amount`, 'payments', 'is_redacted', (amount) => {
    const sets = [];
    if (from !== COMPUTED) sets.push(less(from, amount));
    if (to !== COMPUTED) sets.push(more(to, amount));
    if (isEvent) sets.push('version = version + 1');
    return sets.join(', ');
  });
}

const CHANGES: Readonly<Record<AmountChange, ReturnType<typeof change>>> = {
  reserve: change('reserve'),
  free: change('free'),
  refund: change('refund'),
  refund_unreserved: change('refund_unreserved'),
  take_back: change('take_back'),
  hold: change('hold'),
  release: change('release'),
};

@Injectable()
export class TypeormPayments extends Payments {
  constructor(
    private readonly database: Database,
    private readonly clock: CallerClock,
    private readonly owners: Owners,
  ) {
    super();
  }

  add(unit: Unit, { state }: Payment): void {
    const checkoutSession = state.checkoutSession && uuidOf(state.checkoutSession);
    const ids = {
      organizationId: uuidOf(unit.organization),
      id: uuidOf(state.id),
      checkoutSession,
    };
    // The session may be removed meanwhile, because nobody paid it for so long.
    const stale = [
      'payments_reference_key',
      'payments_checkout_session_key',
      'payments_checkout_session_fkey',
    ];
    this.database.batched(unit, PAYMENT, { ...state, ...ids }, { stale });
  }

  changeAmount(unit: Unit, { state }: Payment, change: AmountChange, amount: number): void {
    const key = [uuidOf(unit.organization), unit.mode, uuidOf(state.id)];
    const row = { key, amount, seen: state.isRedacted };
    this.database.batched(unit, CHANGES[change], row, { stale: ['payments_held_within_captured'] });
  }

  restoreAmounts(
    unit: Unit,
    id: OwnId,
    { amountRefunded, amountPendingRefund }: RefundAmounts,
  ): void {
    const amounts = { amountRefunded, amountPendingRefund };
    this.database.atCommit(unit, ({ manager }) =>
      manager.update(PaymentRecord, keyOf(unit, id), amounts),
    );
  }

  async get(caller: Caller, id: OwnId, param = 'id'): Promise<Payment> {
    const { organization, mode } = caller;
    const key = { organization: uuidOf(organization), mode, id: uuidOf(id) };
    const [row] = await this.database.read<PaymentRecord>(caller, ...FIND.of(key));
    if (!row) throw notFound(param, caller.mode);
    return fromRow(row);
  }

  async byReference(caller: Caller, reference: string): Promise<Payment | undefined> {
    const key = { ...scopeOf(caller), reference };
    const row = await this.database.reading(caller, (manager) =>
      manager.findOneBy(PaymentRecord, key),
    );
    return row ? fromRow(row) : undefined;
  }

  async lock(unit: Unit, id: OwnId, param = 'id'): Promise<Payment> {
    // The lock is FOR NO KEY UPDATE, so that the insert of a refund, which references the payment,
    // does not wait for it.
    const options = { where: keyOf(unit, id), lock: { mode: 'for_no_key_update' } } as const;
    const row = await this.database.inTransaction(unit, ({ manager }) =>
      manager.findOne(PaymentRecord, options),
    );
    if (!row) throw notFound(param, unit.mode);
    return fromRow(row);
  }

  async list(caller: Caller, { checkoutSession, ...page }: PaymentFilter): Promise<Page<Payment>> {
    const { ahead } = await this.clock.at(caller);
    const where = { checkoutSession: checkoutSession && uuidOf(checkoutSession) };
    return pageOfRows(this.database, PaymentRecord, { owner: caller, where, page, ahead }, fromRow);
  }

  async listOfAll(ledger: Ledger, filter: LedgerPaymentFilter): Promise<Page<Payment>> {
    const { organization, reference, checkoutSession, ...page } = filter;
    const owner = await this.owners.listed(ledger, { organization, resource: checkoutSession });
    if (owner === undefined) return pageOf<Payment>([]);
    const where = { reference, checkoutSession: checkoutSession && uuidOf(checkoutSession) };
    return pageOfRows(this.database, PaymentRecord, { owner, where, page }, fromRow);
  }
}

function fromRow({ organizationId, ...row }: PaymentRecord): Payment {
  const { id, mode, checkoutSession } = row;
  const session = checkoutSession && idOf(CHECKOUT_SESSION_ID, checkoutSession, mode);
  const organization = idOf(ORGANIZATION_ID, organizationId);
  return Payment.restore({
    ...row,
    organization,
    id: idOf(PAYMENT_ID, id, mode),
    checkoutSession: session,
  });
}
