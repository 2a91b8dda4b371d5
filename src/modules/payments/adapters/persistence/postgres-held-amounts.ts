import { Injectable } from '@nestjs/common';
import { BATCH, type Part, type Sql } from '../../../../platform/database/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { uuidOf } from '../../../../shared/id.js';
import type { OwnId } from '../../../../shared/own-id.js';
import { type AmountChange, HeldAmounts, type RefundAmounts } from '../../application/ports.js';

const change =
  (changes: (amount: string) => string): Sql =>
  (organization, mode, payment, amount) =>
    `UPDATE payments SET ${changes(amount)} WHERE organization_id = ${organization} AND mode = ${mode} AND id = ${payment}`;

/** A sum that is too small, which `reconcile` names, must not keep the outcome of a refund from being stored. */
const less = (column: string, amount: string) => `${column} = greatest(${column} - ${amount}, 0)`;

const CHANGES: Readonly<Record<AmountChange, Sql>> = {
  reserve: change((amount) => `amount_pending_refund = amount_pending_refund + ${amount}`),
  free: change((amount) => less('amount_pending_refund', amount)),
  refund: change((amount) => `${less('amount_pending_refund', amount)}, amount_refunded = amount_refunded + ${amount}`),
  refund_unreserved: change((amount) => `amount_refunded = amount_refunded + ${amount}`),
  take_back: change((amount) => less('amount_refunded', amount)),
  hold: change((amount) => `amount_on_hold = amount_on_hold + ${amount}, version = version + 1`),
  release: change((amount) => `${less('amount_on_hold', amount)}, version = version + 1`),
};

const LOCK = 'SELECT 1 FROM payments WHERE organization_id = $1 AND mode = $2 AND id = $3 FOR NO KEY UPDATE';
const RESTORE = `UPDATE payments SET amount_refunded = $4, amount_pending_refund = $5
  WHERE organization_id = $1 AND mode = $2 AND id = $3`;

/** Each row names its own organization and mode, though all rows of a batch have the same. Refunds of the same payment add up. */
const RESERVE_ALL: Sql = (organization, mode, payment, amount) => `UPDATE payments
  SET amount_pending_refund = amount_pending_refund + (SELECT sum(${amount}::bigint) FROM ${BATCH}
    WHERE ${organization}::uuid = payments.organization_id AND ${mode} = payments.mode AND ${payment}::uuid = payments.id)
  WHERE organization_id = ANY (ARRAY(SELECT ${organization}::uuid FROM ${BATCH})) AND mode = ANY (ARRAY(SELECT ${mode} FROM ${BATCH}))
    AND id = ANY (ARRAY(SELECT ${payment}::uuid FROM ${BATCH}))`;
const PAYMENTS_OF_ALL: Sql = (organization, mode, payment) =>
  `SELECT count(DISTINCT (${organization}, ${mode}, ${payment})) FROM ${BATCH}`;

@Injectable()
export class PostgresHeldAmounts extends HeldAmounts {
  change(caller: Caller, payment: OwnId, change: AmountChange, amount: number): Part {
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(payment), amount];
    const stale = ['payments_held_within_captured'];
    const part = {
      name: `payments.${change}`,
      owner: caller,
      sql: CHANGES[change],
      values,
      stale,
      exactly: PAYMENTS_OF_ALL,
    };
    return change === 'reserve' ? { ...part, all: RESERVE_ALL, locks: true } : part;
  }

  lock(caller: Caller, payment: OwnId): Part {
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(payment)];
    return { name: 'payments.lock_amounts', owner: caller, sql: () => LOCK, values, rows: 1 };
  }

  restore(caller: Caller, payment: OwnId, { amountRefunded, amountPendingRefund }: RefundAmounts): Part {
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(payment), amountRefunded, amountPendingRefund];
    return { name: 'payments.restore', owner: caller, sql: () => RESTORE, values, rows: 1 };
  }
}
