import { Injectable } from '@nestjs/common';
import type { Part } from '../../../../platform/database/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { uuidOf } from '../../../../shared/id.js';
import type { OwnId } from '../../../../shared/own-id.js';
import { type AmountChange, HeldAmounts } from '../../application/ports.js';

const change = (changes: string) =>
  `UPDATE payments SET ${changes} WHERE organization_id = $1 AND mode = $2 AND id = $3`;

const CHANGES: Readonly<Record<AmountChange, string>> = {
  reserve: change('amount_pending_refund = amount_pending_refund + $4'),
  free: change('amount_pending_refund = amount_pending_refund - $4'),
  refund: change('amount_pending_refund = amount_pending_refund - $4, amount_refunded = amount_refunded + $4'),
  take_back: change('amount_refunded = amount_refunded - $4'),
  hold: change('amount_on_hold = amount_on_hold + $4, version = version + 1'),
  release: change('amount_on_hold = amount_on_hold - $4, version = version + 1'),
};

@Injectable()
export class PostgresHeldAmounts extends HeldAmounts {
  change(caller: Caller, payment: OwnId, change: AmountChange, amount: number): Part {
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(payment), amount];
    const part = { name: `payments.${change}`, owner: caller, sql: CHANGES[change], values };
    return change === 'reserve' || change === 'hold' ? { ...part, stale: ['payments_held_within_captured'] } : part;
  }
}
