import { Injectable } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import { findOwner, ownerIn } from '../../../../persistence/owners.js';
import { keyOf, pageOfRows, scopeOf } from '../../../../persistence/rows.js';
import { type Selected, selectionOf } from '../../../../platform/columns.js';
import type { Caller, Ledger } from '../../../../shared/caller.js';
import { CallerClock } from '../../../../shared/clock.js';
import type { Write } from '../../../../shared/decision.js';
import { notFound } from '../../../../shared/errors.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { type OwnId, ownId } from '../../../../shared/own-id.js';
import type { Page } from '../../../../shared/page.js';
import { CHECKOUT_SESSION_ID, CheckoutSessionQueries } from '../../../checkout/index.js';
import { type LedgerPaymentFilter, type OwnedPayment, type PaymentFilter, Payments } from '../../application/ports.js';
import { PAYMENT_ID, Payment } from '../../domain/payment.js';
import { recorded } from './hot-payments.js';
import { PaymentRecord } from './payment.record.js';

const COLUMNS = selectionOf(PaymentRecord);

const SCOPE = 'organization_id = $1 AND mode = $2';
const SELECT = `SELECT ${COLUMNS} FROM payments WHERE ${SCOPE}`;
const FIND = { name: 'payments.find', text: `${SELECT} AND id = $3` };
export const SESSION_OF_PAYMENT = `SELECT checkout_session_id FROM payments WHERE ${SCOPE} AND id = $3`;
const OWNER = ownerIn('payments');

@Injectable()
export class TypeormPayments extends Payments {
  constructor(
    private readonly database: Database,
    private readonly clock: CallerClock,
    private readonly sessions: CheckoutSessionQueries,
  ) {
    super();
  }

  add(caller: Caller, payment: Payment): Write {
    return recorded(caller, payment);
  }

  async get(caller: Caller, id: OwnId, param = 'id'): Promise<Payment> {
    const [row] = await this.database.read<Row>(caller, FIND, [uuidOf(caller.organization), caller.mode, uuidOf(id)]);
    if (!row) throw notFound(param, caller.mode);
    return this.withUrl(caller, fromRow(row));
  }

  async byReference(caller: Caller, reference: string): Promise<Payment | undefined> {
    const key = { ...scopeOf(caller), reference };
    const row = await this.database.reading(caller, (manager) => manager.findOneBy(PaymentRecord, key));
    return row ? fromRow(row) : undefined;
  }

  async lock(caller: Caller, id: OwnId, param = 'id'): Promise<Payment> {
    // NO KEY: the insert of a refund, which references the payment, does not wait for this lock.
    const lock = { mode: 'for_no_key_update' } as const;
    const row = await this.database.repository(PaymentRecord).findOne({ where: keyOf(caller, id), lock });
    if (!row) throw notFound(param, caller.mode);
    return this.withUrl(caller, fromRow(row));
  }

  async list(caller: Caller, { checkoutSession, ...page }: PaymentFilter): Promise<Page<Payment>> {
    const { ahead } = await this.clock.at(caller);
    const where = { checkoutSession: checkoutSession && uuidOf(checkoutSession) };
    return pageOfRows(this.database, PaymentRecord, { owner: caller, where, page, ahead }, fromRow);
  }

  ownerOf(ledger: Ledger, id: OwnId, organization?: string | null): Promise<Caller> {
    return findOwner(this.database, OWNER, { ledger, id, organization });
  }

  listOfAll({ mode }: Ledger, filter: LedgerPaymentFilter): Promise<Page<OwnedPayment>> {
    const { organization, reference, checkoutSession, ...page } = filter;
    const where = { reference, checkoutSession: checkoutSession && uuidOf(checkoutSession) };
    return pageOfRows(this.database, PaymentRecord, { owner: { organization, mode }, where, page }, (row) => ({
      organization: idOf(ORGANIZATION_ID, row.organizationId),
      payment: fromRow(row),
    }));
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

function fromRow({ organizationId, ...row }: Row & Partial<Pick<PaymentRecord, 'organizationId'>>): Payment {
  const { id, mode, checkoutSession } = row;
  const session = checkoutSession && idOf(CHECKOUT_SESSION_ID, checkoutSession, mode);
  return Payment.restore({ ...row, id: idOf(PAYMENT_ID, id, mode), checkoutSession: session });
}
