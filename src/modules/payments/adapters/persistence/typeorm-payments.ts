import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { compose, insertPart } from '../../../../platform/database/statement.js';
import { KEEP_ANSWER, keptValues } from '../../../../platform/idempotency/kept-answers.js';
import type { KeptAnswer } from '../../../../shared/answer.js';
import type { Caller } from '../../../../shared/caller.js';
import { idOf, modeOf, uuidOf } from '../../../../shared/id.js';
import { Payments } from '../../application/ports.js';
import { Payment, type PaymentFacts } from '../../domain/payment.js';

const COLUMNS = `id, mode, amount, amount_refunded AS "amountRefunded",
  amount_pending_refund AS "amountPendingRefund", currency, checkout_session_id AS "checkoutSession", reference`;

const SCOPE = 'organization_id = $1 AND mode = $2';
const FIND = { name: 'payments.find', text: `SELECT ${COLUMNS} FROM payments WHERE ${SCOPE} AND id = $3` };
const BY_REFERENCE = {
  name: 'payments.by_reference',
  text: `SELECT ${COLUMNS} FROM payments WHERE ${SCOPE} AND reference = $3`,
};

const INSERT = insertPart('payments', [
  'organization_id',
  'mode',
  'id',
  'currency',
  'amount',
  'checkout_session_id',
  'reference',
]);
const ADD = compose('payments.add', INSERT);
const ADD_AND_KEEP = compose('payments.add_and_keep', KEEP_ANSWER, INSERT);

@Injectable()
export class TypeormPayments extends Payments {
  constructor(private readonly database: Database) {
    super();
  }

  async add(caller: Caller, payment: Payment, kept: KeptAnswer | undefined): Promise<void> {
    const row = toRow(caller, payment);
    if (kept) await this.database.write(ADD_AND_KEEP, [...keptValues(caller, kept), ...row]);
    else await this.database.write(ADD, row);
  }

  async find(caller: Caller, id: string): Promise<Payment | undefined> {
    const [row] = await this.database.read<Row>(FIND, [uuidOf(caller.organization), modeOf(id), uuidOf(id)]);
    return row && fromRow(row);
  }

  async byReference(caller: Caller, reference: string): Promise<Payment | undefined> {
    const [row] = await this.database.read<Row>(BY_REFERENCE, [uuidOf(caller.organization), caller.mode, reference]);
    return row && fromRow(row);
  }
}

/** The facts, but for bare UUIDs, under the names that COLUMNS gives them. */
type Row = PaymentFacts;

function toRow(caller: Caller, { facts }: Payment): unknown[] {
  const { mode, id, currency, amount, checkoutSession, reference } = facts;
  const session = checkoutSession && uuidOf(checkoutSession);
  return [uuidOf(caller.organization), mode, uuidOf(id), currency, amount, session, reference];
}

function fromRow(row: Row): Payment {
  const { id, mode, checkoutSession } = row;
  const session = checkoutSession && idOf('cs', checkoutSession, mode);
  return Payment.restore({ ...row, id: idOf('pay', id, mode), checkoutSession: session });
}
