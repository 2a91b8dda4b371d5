import { Injectable } from '@nestjs/common';
import type { Part } from '../../../../platform/database/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { uuidOf } from '../../../../shared/id.js';
import { HeldAmounts } from '../../application/ports.js';

const PAYMENT = 'WHERE organization_id = $1 AND mode = $2 AND id = $3';
const HOLD = `UPDATE payments SET amount_pending_refund = amount_pending_refund + $4 ${PAYMENT}`;
const RELEASE = `UPDATE payments SET amount_pending_refund = amount_pending_refund - $4 ${PAYMENT}`;
const REFUND = `UPDATE payments
  SET amount_pending_refund = amount_pending_refund - $4, amount_refunded = amount_refunded + $4 ${PAYMENT}`;

@Injectable()
export class PostgresHeldAmounts extends HeldAmounts {
  hold(caller: Caller, payment: string, amount: number): Part {
    return { ...partOf('payments.hold', HOLD, [caller, payment, amount]), stale: ['payments_held_within_captured'] };
  }

  release(caller: Caller, payment: string, amount: number): Part {
    return partOf('payments.release', RELEASE, [caller, payment, amount]);
  }

  refund(caller: Caller, payment: string, amount: number): Part {
    return partOf('payments.refund', REFUND, [caller, payment, amount]);
  }
}

function partOf(name: string, sql: string, [caller, payment, amount]: [Caller, string, number]): Part {
  return { name, sql, values: [uuidOf(caller.organization), caller.mode, uuidOf(payment), amount] };
}
