import { Injectable } from '@nestjs/common';
import { Database, violates } from '../../../../platform/database/database.js';
import { compose, insertPart } from '../../../../platform/database/statement.js';
import { KEEP_ANSWER, keptValues } from '../../../../platform/idempotency/kept-answers.js';
import type { KeptAnswer } from '../../../../shared/answer.js';
import type { Caller } from '../../../../shared/caller.js';
import { idOf, modeOf, uuidOf } from '../../../../shared/id.js';
import { HELD_CONSTRAINT, HOLD_AMOUNT, heldValues } from '../../../payments/index.js';
import { Refunds } from '../../application/ports.js';
import { Refund, type RefundFacts } from '../../domain/refund.js';

const INSERT = insertPart('refunds', ['organization_id', 'mode', 'id', 'payment_id', 'amount', 'currency', 'status']);
const ADD = compose('refunds.add', KEEP_ANSWER, HOLD_AMOUNT, INSERT);

const FIND = {
  name: 'refunds.find',
  text: `SELECT id, mode, payment_id AS payment, amount, currency, status FROM refunds
    WHERE organization_id = $1 AND mode = $2 AND id = $3`,
};

@Injectable()
export class TypeormRefunds extends Refunds {
  constructor(private readonly database: Database) {
    super();
  }

  async add(caller: Caller, refund: Refund, kept: KeptAnswer): Promise<boolean> {
    const held = heldValues(caller, refund.facts.payment, refund.facts.amount);
    try {
      await this.database.write(ADD, [...keptValues(caller, kept), ...held, ...toRow(caller, refund)]);
      return true;
    } catch (error) {
      if (violates(error, HELD_CONSTRAINT)) return false;
      throw error;
    }
  }

  async find(caller: Caller, id: string): Promise<Refund | undefined> {
    const [row] = await this.database.query<Row>(FIND, [uuidOf(caller.organization), modeOf(id), uuidOf(id)]);
    return row && fromRow(row);
  }
}

/** The facts, but for bare UUIDs. */
type Row = RefundFacts;

function toRow(caller: Caller, { facts }: Refund): unknown[] {
  const { mode, id, payment, amount, currency, status } = facts;
  return [uuidOf(caller.organization), mode, uuidOf(id), uuidOf(payment), amount, currency, status];
}

function fromRow(row: Row): Refund {
  const { id, mode, payment } = row;
  return Refund.restore({ ...row, id: idOf('re', id, mode), payment: idOf('pay', payment, mode) });
}
