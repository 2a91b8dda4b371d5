import { Injectable } from '@nestjs/common';
import { BATCH, type Part, type Sql } from '../../../../platform/database/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { uuidOf } from '../../../../shared/id.js';
import type { OwnId } from '../../../../shared/own-id.js';
import { type AmountChange, HeldAmounts } from '../../application/ports.js';

const change =
  (changes: (amount: string) => string): Sql =>
  (organization, mode, payment, amount) =>
    `UPDATE payments SET ${changes(amount)} WHERE organization_id = ${organization} AND mode = ${mode} AND id = ${payment}`;

const CHANGES: Readonly<Record<AmountChange, Sql>> = {
  reserve: change((amount) => `amount_pending_refund = amount_pending_refund + ${amount}`),
  free: change((amount) => `amount_pending_refund = amount_pending_refund - ${amount}`),
  refund: change(
    (amount) =>
      `amount_pending_refund = amount_pending_refund - ${amount}, amount_refunded = amount_refunded + ${amount}`,
  ),
  refund_unreserved: change((amount) => `amount_refunded = amount_refunded + ${amount}`),
  take_back: change((amount) => `amount_refunded = amount_refunded - ${amount}`),
  hold: change((amount) => `amount_on_hold = amount_on_hold + ${amount}, version = version + 1`),
  release: change((amount) => `amount_on_hold = amount_on_hold - ${amount}, version = version + 1`),
};

/** Of one organization's payments. Refunds of the same payment add up. */
const RESERVE_ALL: Sql = (organization, mode, payment, amount) => `UPDATE payments
  SET amount_pending_refund = amount_pending_refund + (SELECT sum(${amount}::bigint) FROM ${BATCH} WHERE ${payment}::uuid = payments.id)
  WHERE organization_id = (SELECT ${organization}::uuid FROM ${BATCH} LIMIT 1) AND mode = (SELECT ${mode} FROM ${BATCH} LIMIT 1)
    AND id = ANY (ARRAY(SELECT ${payment}::uuid FROM ${BATCH}))`;

@Injectable()
export class PostgresHeldAmounts extends HeldAmounts {
  change(caller: Caller, payment: OwnId, change: AmountChange, amount: number): Part {
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(payment), amount];
    const part = { name: `payments.${change}`, owner: caller, sql: CHANGES[change], values };
    const limited = { ...part, stale: ['payments_held_within_captured'] };
    if (change === 'reserve') return { ...limited, all: RESERVE_ALL, locks: true };
    return change === 'hold' || change === 'refund_unreserved' ? limited : part;
  }
}
