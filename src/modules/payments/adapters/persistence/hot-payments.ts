import { Injectable } from '@nestjs/common';
import { hot, insertInto } from '../../../../engine/index.js';
import { Database } from '../../../../persistence/database.js';
import { findOwner, ownerIn } from '../../../../persistence/owners.js';
import { keyOf, pageOfRows, scopeOf } from '../../../../persistence/rows.js';
import { selectionOf } from '../../../../platform/columns.js';
import type { Caller, Ledger } from '../../../../shared/caller.js';
import { CallerClock, type TimedCaller } from '../../../../shared/clock.js';
import type { Write } from '../../../../shared/decision.js';
import { notFound } from '../../../../shared/errors.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import type { OwnId } from '../../../../shared/own-id.js';
import type { Page } from '../../../../shared/page.js';
import { CHECKOUT_SESSION_ID } from '../../../checkout/index.js';
import { Outbox } from '../../../events/index.js';
import { type LedgerPaymentFilter, type PaymentFilter, Payments } from '../../application/ports.js';
import { PAYMENT_ID, Payment, type PaymentEvent } from '../../domain/payment.js';
import { paymentView } from '../representation/payments.views.js';
import { PaymentRecord } from './payment.record.js';

const PAYMENT = insertInto('new_payment', PaymentRecord);

const COLUMNS = `organization_id AS "organizationId", ${selectionOf(PaymentRecord)}`;
const SCOPE = 'organization_id = $1 AND mode = $2';
const SELECT = `SELECT ${COLUMNS} FROM payments WHERE ${SCOPE}`;
const FIND = { name: 'payments.find', text: `${SELECT} AND id = $3` };
export const SESSION_OF_PAYMENT = `SELECT checkout_session_id FROM payments WHERE ${SCOPE} AND id = $3`;
const OWNER = ownerIn('payments');

@Injectable()
export class HotPayments extends Payments {
  constructor(
    private readonly database: Database,
    private readonly clock: CallerClock,
    private readonly outbox: Outbox,
  ) {
    super();
  }

  add(caller: Caller, { state }: Payment): Write {
    const checkoutSession = state.checkoutSession && uuidOf(state.checkoutSession);
    const ids = { organizationId: uuidOf(caller.organization), id: uuidOf(state.id), checkoutSession };
    // Its session may be removed meanwhile, because nobody paid it for so long.
    const stale = ['payments_reference_key', 'payments_checkout_session_key', 'payments_checkout_session_fkey'];
    return hot(caller, PAYMENT, { ...state, ...ids }, { stale });
  }

  record(caller: TimedCaller, type: PaymentEvent, payment: Payment): Write {
    const { id, version, notifyUrl } = payment.state;
    const data = JSON.stringify(paymentView(payment));
    return this.outbox.record(caller, { type, object: id, sequence: version, data, notifyUrl });
  }

  async get(caller: Caller, id: OwnId, param = 'id'): Promise<Payment> {
    const key = [uuidOf(caller.organization), caller.mode, uuidOf(id)];
    const [row] = await this.database.read<PaymentRecord>(caller, FIND, key);
    if (!row) throw notFound(param, caller.mode);
    return fromRow(row);
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
    return fromRow(row);
  }

  async list(caller: Caller, { checkoutSession, ...page }: PaymentFilter): Promise<Page<Payment>> {
    const { ahead } = await this.clock.at(caller);
    const where = { checkoutSession: checkoutSession && uuidOf(checkoutSession) };
    return pageOfRows(this.database, PaymentRecord, { owner: caller, where, page, ahead }, fromRow);
  }

  ownerOf(ledger: Ledger, id: OwnId, organization?: string | null): Promise<Caller> {
    return findOwner(this.database, OWNER, { ledger, id, organization });
  }

  listOfAll({ mode }: Ledger, filter: LedgerPaymentFilter): Promise<Page<Payment>> {
    const { organization, reference, checkoutSession, ...page } = filter;
    const where = { reference, checkoutSession: checkoutSession && uuidOf(checkoutSession) };
    return pageOfRows(this.database, PaymentRecord, { owner: { organization, mode }, where, page }, fromRow);
  }
}

function fromRow({ organizationId, ...row }: PaymentRecord): Payment {
  const { id, mode, checkoutSession } = row;
  const session = checkoutSession && idOf(CHECKOUT_SESSION_ID, checkoutSession, mode);
  const organization = idOf(ORGANIZATION_ID, organizationId);
  return Payment.restore({ ...row, organization, id: idOf(PAYMENT_ID, id, mode), checkoutSession: session });
}
