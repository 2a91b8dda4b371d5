import { Injectable } from '@nestjs/common';
import { insertInto, type Selected, selectionOf } from '../../../../platform/database/columns.js';
import { Database } from '../../../../platform/database/database.js';
import type { Part } from '../../../../platform/database/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { notFound } from '../../../../shared/errors.js';
import { idOf, idRange, modeOf, uuidOf } from '../../../../shared/id.js';
import { CHECKOUT_SESSION_ID } from '../../../checkout/index.js';
import { type PaymentFilter, Payments } from '../../application/ports.js';
import { PAYMENT_ID, Payment } from '../../domain/payment.js';
import { PaymentRecord } from './payment.record.js';

export const COLUMNS = selectionOf(PaymentRecord);

const SCOPE = 'organization_id = $1 AND mode = $2';
const SELECT = `SELECT ${COLUMNS} FROM payments WHERE ${SCOPE}`;
const FIND = { name: 'payments.find', text: `${SELECT} AND id = $3` };
/** NO KEY: the insert of a refund, which references the payment, does not wait for this lock. */
const LOCK = { name: 'payments.lock', text: `${FIND.text} FOR NO KEY UPDATE` };
const BY_REFERENCE = { name: 'payments.by_reference', text: `${SELECT} AND reference = $3` };

const PAGE = 'id >= $3 AND id < $4 ORDER BY id DESC LIMIT $5';
const LIST = { name: 'payments.list', text: `${SELECT} AND ${PAGE}` };
/** A session has few payments. The CTE is materialized so that the planner does not read all payments in the order of their IDs. */
const LIST_SESSION = {
  name: 'payments.list_session',
  text: `WITH own AS MATERIALIZED (${SELECT} AND checkout_session_id = $6) SELECT * FROM own WHERE ${PAGE}`,
};

const insert = insertInto('payments.add', PaymentRecord);

@Injectable()
export class PostgresPayments extends Payments {
  constructor(private readonly database: Database) {
    super();
  }

  add(caller: Caller, { state }: Payment): Part {
    const checkoutSession = state.checkoutSession && uuidOf(state.checkoutSession);
    const ids = { organizationId: uuidOf(caller.organization), id: uuidOf(state.id), checkoutSession };
    return { ...insert({ ...state, ...ids }), stale: ['payments_reference_key', 'payments_checkout_session_key'] };
  }

  async find(caller: Caller, id: string): Promise<Payment | undefined> {
    const [row] = await this.database.read<Row>(FIND, [uuidOf(caller.organization), modeOf(id), uuidOf(id)]);
    return row && fromRow(row);
  }

  async byReference(caller: Caller, reference: string): Promise<Payment | undefined> {
    const [row] = await this.database.read<Row>(BY_REFERENCE, [uuidOf(caller.organization), caller.mode, reference]);
    return row && fromRow(row);
  }

  async lock(caller: Caller, id: string): Promise<Payment> {
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(id)];
    const [row] = await this.database.query<Row>(LOCK, values);
    if (!row || modeOf(id) !== caller.mode) throw notFound('id');
    return fromRow(row);
  }

  async list(caller: Caller, filter: PaymentFilter): Promise<Payment[]> {
    const { checkoutSession, limit } = filter;
    const values = [uuidOf(caller.organization), caller.mode, ...idRange(filter), limit + 1];
    if (checkoutSession === undefined) return (await this.database.read<Row>(LIST, values)).map(fromRow);
    // A session of the other mode has no payments in this mode.
    if (modeOf(checkoutSession) !== caller.mode) return [];
    return (await this.database.read<Row>(LIST_SESSION, [...values, uuidOf(checkoutSession)])).map(fromRow);
  }
}

export type Row = Selected<PaymentRecord>;

export function fromRow(row: Row): Payment {
  const { id, mode, checkoutSession } = row;
  const session = checkoutSession && idOf(CHECKOUT_SESSION_ID, checkoutSession, mode);
  return Payment.restore({ ...row, id: idOf(PAYMENT_ID, id, mode), checkoutSession: session });
}
