import { Injectable } from '@nestjs/common';
import { changeAmounts, hot, type Part } from '../../../../engine/index.js';
import type { Caller } from '../../../../shared/caller.js';
import { uuidOf } from '../../../../shared/id.js';
import type { OwnId } from '../../../../shared/own-id.js';
import { type AmountChange, HeldAmounts, type RefundAmounts } from '../../application/ports.js';

const change = (name: AmountChange, setsOf: (amount: string) => string) =>
  changeAmounts(`${name}_amount`, 'payments', setsOf);

/** A sum that is too small, which `reconcile` names, must not keep the outcome of a refund from being stored. */
const less = (column: string, amount: string) => `${column} = greatest(${column} - ${amount}, 0)`;
const more = (column: string, amount: string) => `${column} = ${column} + ${amount}`;

const CHANGES: Readonly<Record<AmountChange, ReturnType<typeof change>>> = {
  reserve: change('reserve', (amount) => more('amount_pending_refund', amount)),
  free: change('free', (amount) => less('amount_pending_refund', amount)),
  refund: change('refund', (amount) => `${less('amount_pending_refund', amount)}, ${more('amount_refunded', amount)}`),
  refund_unreserved: change('refund_unreserved', (amount) => more('amount_refunded', amount)),
  take_back: change('take_back', (amount) => less('amount_refunded', amount)),
  hold: change('hold', (amount) => `${more('amount_on_hold', amount)}, version = version + 1`),
  release: change('release', (amount) => `${less('amount_on_hold', amount)}, version = version + 1`),
};

const RESTORE = `UPDATE payments SET amount_refunded = $4, amount_pending_refund = $5
  WHERE organization_id = $1 AND mode = $2 AND id = $3`;

@Injectable()
export class HotHeldAmounts extends HeldAmounts {
  change(caller: Caller, payment: OwnId, change: AmountChange, amount: number): Part {
    const key = [uuidOf(caller.organization), caller.mode, uuidOf(payment)];
    return hot(caller, CHANGES[change], { key, amount }, { stale: ['payments_held_within_captured'] });
  }

  restore(caller: Caller, payment: OwnId, { amountRefunded, amountPendingRefund }: RefundAmounts): Part {
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(payment), amountRefunded, amountPendingRefund];
    return { name: 'payments.restore', owner: caller, sql: RESTORE, values, rows: 1 };
  }
}
