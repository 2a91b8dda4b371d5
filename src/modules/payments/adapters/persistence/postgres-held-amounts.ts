import { Injectable } from '@nestjs/common';
import type { Part } from '../../../../platform/database/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { uuidOf } from '../../../../shared/id.js';
import type { OwnId } from '../../../../shared/own-id.js';
import { HeldAmounts } from '../../application/ports.js';

const change = (changes: string) =>
  `UPDATE payments SET ${changes} WHERE organization_id = $1 AND mode = $2 AND id = $3`;

const RESERVE = change('amount_pending_refund = amount_pending_refund + $4');
const FREE = change('amount_pending_refund = amount_pending_refund - $4');
const REFUND = change('amount_pending_refund = amount_pending_refund - $4, amount_refunded = amount_refunded + $4');
const TAKE_BACK = change('amount_refunded = amount_refunded - $4');
const HOLD = change('amount_on_hold = amount_on_hold + $4, version = version + 1');
const RELEASE = change('amount_on_hold = amount_on_hold - $4, version = version + 1');

const TOO_MUCH = { stale: ['payments_held_within_captured'] };

@Injectable()
export class PostgresHeldAmounts extends HeldAmounts {
  reserve(caller: Caller, payment: OwnId, amount: number): Part {
    return { ...partOf('payments.reserve', RESERVE, [caller, payment, amount]), ...TOO_MUCH };
  }

  free(caller: Caller, payment: OwnId, amount: number): Part {
    return partOf('payments.free', FREE, [caller, payment, amount]);
  }

  refund(caller: Caller, payment: OwnId, amount: number): Part {
    return partOf('payments.refund', REFUND, [caller, payment, amount]);
  }

  takeBack(caller: Caller, payment: OwnId, amount: number): Part {
    return partOf('payments.take_back', TAKE_BACK, [caller, payment, amount]);
  }

  hold(caller: Caller, payment: OwnId, amount: number): Part {
    return { ...partOf('payments.hold', HOLD, [caller, payment, amount]), ...TOO_MUCH };
  }

  release(caller: Caller, payment: OwnId, amount: number): Part {
    return partOf('payments.release', RELEASE, [caller, payment, amount]);
  }
}

function partOf(name: string, sql: string, [caller, payment, amount]: [Caller, OwnId, number]): Part {
  return { name, owner: caller, sql, values: [uuidOf(caller.organization), caller.mode, uuidOf(payment), amount] };
}
