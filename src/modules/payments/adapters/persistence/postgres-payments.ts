import { Injectable } from '@nestjs/common';
import { type Selected, selectionOf } from '../../../../platform/database/columns.js';
import { createdBetween } from '../../../../platform/database/created.js';
import { Database } from '../../../../platform/database/database.js';
import { insertInto } from '../../../../platform/database/form.js';
import { findOwner, ledgerStatements, pageOfAll } from '../../../../platform/database/ledger-rows.js';
import { hot, type Part } from '../../../../platform/database/statement.js';
import type { Caller, Ledger } from '../../../../shared/caller.js';
import { CallerClock } from '../../../../shared/clock.js';
import { notFound } from '../../../../shared/errors.js';
import { createdRange, idOf, uuidOf } from '../../../../shared/id.js';
import { type OwnId, ownId } from '../../../../shared/own-id.js';
import { type Page, pageOf } from '../../../../shared/page.js';
import { CHECKOUT_SESSION_ID } from '../../../checkout/index.js';
import {
  AskingSessions,
  type LedgerPaymentFilter,
  type OwnedPayment,
  type PaymentFilter,
  Payments,
} from '../../application/ports.js';
import { PAYMENT_ID, Payment } from '../../domain/payment.js';
import { PaymentRecord } from './payment.record.js';

const COLUMNS = selectionOf(PaymentRecord);

const SCOPE = 'organization_id = $1 AND mode = $2';
const SELECT = `SELECT ${COLUMNS} FROM payments WHERE ${SCOPE}`;
const FIND = { name: 'payments.find', text: `${SELECT} AND id = $3` };
/** NO KEY: the insert of a refund, which references the payment, does not wait for this lock. */
const LOCK = { name: 'payments.lock', text: `${SELECT} AND id = $3 FOR NO KEY UPDATE` };
export const SESSION_OF_PAYMENT = `SELECT checkout_session_id FROM payments WHERE ${SCOPE} AND id = $3`;
const BY_REFERENCE = { name: 'payments.by_reference', text: `${SELECT} AND reference = $3` };

const PAGE = `id >= $3 AND id < $4 AND ${createdBetween('$5', '$6')} ORDER BY id DESC LIMIT $7`;
const LIST = { name: 'payments.list', text: `${SELECT} AND ${PAGE}` };
/** A session has few payments. The CTE is materialized so that the planner does not read all payments in the order of their IDs. */
const LIST_SESSION = {
  name: 'payments.list_session',
  text: `WITH own AS MATERIALIZED (${SELECT} AND checkout_session_id = $8) SELECT * FROM own WHERE ${PAGE}`,
};

const LEDGER = ledgerStatements({
  table: 'payments',
  columns: COLUMNS,
  filters: ['reference', 'checkout_session_id'],
  few: ['reference', 'checkout_session_id'],
  order: 'desc',
});

const PAYMENT = insertInto('new_payment', PaymentRecord);

@Injectable()
export class PostgresPayments extends Payments {
  constructor(
    private readonly database: Database,
    private readonly clock: CallerClock,
    private readonly sessions: AskingSessions,
  ) {
    super();
  }

  add(caller: Caller, { state }: Payment): Part {
    const checkoutSession = state.checkoutSession && uuidOf(state.checkoutSession);
    const ids = { organizationId: uuidOf(caller.organization), id: uuidOf(state.id), checkoutSession };
    const stale = ['payments_reference_key', 'payments_checkout_session_key'];
    return hot(caller, PAYMENT, { ...state, ...ids }, { stale });
  }

  async get(caller: Caller, id: OwnId, param = 'id'): Promise<Payment> {
    const [row] = await this.database.read<Row>(caller, FIND, [uuidOf(caller.organization), caller.mode, uuidOf(id)]);
    if (!row) throw notFound(param, caller.mode);
    return this.withUrl(caller, fromRow(row));
  }

  async byReference(caller: Caller, reference: string): Promise<Payment | undefined> {
    const values = [uuidOf(caller.organization), caller.mode, reference];
    const [row] = await this.database.read<Row>(caller, BY_REFERENCE, values);
    return row && fromRow(row);
  }

  async lock(caller: Caller, id: OwnId, param = 'id'): Promise<Payment> {
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(id)];
    const [row] = await this.database.query<Row>(LOCK, values);
    if (!row) throw notFound(param, caller.mode);
    return this.withUrl(caller, fromRow(row));
  }

  async list(caller: Caller, filter: PaymentFilter): Promise<Page<Payment>> {
    const { checkoutSession, limit } = filter;
    const range = createdRange(filter, (await this.clock.at(caller)).ahead);
    const values = [uuidOf(caller.organization), caller.mode, ...range, limit + 1];
    const rows =
      checkoutSession === undefined
        ? await this.database.read<Row>(caller, LIST, values)
        : await this.database.read<Row>(caller, LIST_SESSION, [...values, uuidOf(checkoutSession)]);
    return pageOf(rows.map(fromRow), limit);
  }

  ownerOf(ledger: Ledger, id: OwnId, organization?: string | null): Promise<Caller> {
    return findOwner(this.database, LEDGER, { ledger, id, organization });
  }

  listOfAll(ledger: Ledger, filter: LedgerPaymentFilter): Promise<Page<OwnedPayment>> {
    const { reference, checkoutSession } = filter;
    const values = { reference, checkout_session_id: checkoutSession && uuidOf(checkoutSession) };
    return pageOfAll(this.database, LEDGER, { ledger, filter, values }, (row: Row, organization) => {
      return { organization, payment: fromRow(row) };
    });
  }

  /** Versions before 1.1 did not store the notify URL, and write '' by default: it is that of the session, which never changes. */
  private async withUrl(caller: Caller, payment: Payment): Promise<Payment> {
    const { notifyUrl, checkoutSession, mismatch } = payment.state;
    if (notifyUrl !== '') return payment;
    const session = checkoutSession && (await this.sessions.get(caller, ownId(caller, checkoutSession)));
    return payment.of({ mismatch, notifyUrl: session ? session.state.notifyUrl : null });
  }
}

type Row = Selected<PaymentRecord>;

function fromRow(row: Row): Payment {
  const { id, mode, checkoutSession } = row;
  const session = checkoutSession && idOf(CHECKOUT_SESSION_ID, checkoutSession, mode);
  return Payment.restore({ ...row, id: idOf(PAYMENT_ID, id, mode), checkoutSession: session });
}
