import { Injectable } from '@nestjs/common';
import { insertInto } from '../../../../platform/database/columns.js';
import { Database } from '../../../../platform/database/database.js';
import type { Part } from '../../../../platform/database/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { idOf, modeOf, uuidOf } from '../../../../shared/id.js';
import { CHECKOUT_SESSION_ID } from '../../../checkout/index.js';
import { Payments } from '../../application/ports.js';
import { PAYMENT_ID, Payment, type PaymentState } from '../../domain/payment.js';
import { PaymentRecord } from './payment.record.js';

const COLUMNS = `id, mode, amount, amount_refunded AS "amountRefunded",
  amount_pending_refund AS "amountPendingRefund", currency, checkout_session_id AS "checkoutSession", reference`;

const SCOPE = 'organization_id = $1 AND mode = $2';
const FIND = { name: 'payments.find', text: `SELECT ${COLUMNS} FROM payments WHERE ${SCOPE} AND id = $3` };
const BY_REFERENCE = {
  name: 'payments.by_reference',
  text: `SELECT ${COLUMNS} FROM payments WHERE ${SCOPE} AND reference = $3`,
};

const insert = insertInto('payments.add', PaymentRecord);

@Injectable()
export class PostgresPayments extends Payments {
  constructor(private readonly database: Database) {
    super();
  }

  add(caller: Caller, { state }: Payment): Part {
    const { id, checkoutSession, ...rest } = state;
    const row = { ...rest, organizationId: uuidOf(caller.organization), id: uuidOf(id) };
    const part = insert({ ...row, checkoutSessionId: checkoutSession && uuidOf(checkoutSession) });
    return { ...part, stale: ['payments_reference_key', 'payments_checkout_session_key'] };
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

/** The state, but for bare UUIDs, under the names that COLUMNS gives them. */
type Row = PaymentState;

function fromRow(row: Row): Payment {
  const { id, mode, checkoutSession } = row;
  const session = checkoutSession && idOf(CHECKOUT_SESSION_ID, checkoutSession, mode);
  return Payment.restore({ ...row, id: idOf(PAYMENT_ID, id, mode), checkoutSession: session });
}
