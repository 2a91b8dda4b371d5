import { Injectable } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import { findOwner, keyOf, ownerIn, pageOfRows, scopeOf } from '../../../../persistence/rows.js';
import { selectionOf } from '../../../../platform/columns.js';
import type { Caller, Ledger } from '../../../../shared/caller.js';
import { CallerClock } from '../../../../shared/clock.js';
import type { Write } from '../../../../shared/decision.js';
import { notFound } from '../../../../shared/errors.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import type { OwnId } from '../../../../shared/own-id.js';
import type { Page } from '../../../../shared/page.js';
import { CHECKOUT_SESSION_ID } from '../../../checkout/index.js';
import { type LedgerPaymentFilter, type PaymentFilter, Payments } from '../../application/ports.js';
import { PAYMENT_ID, Payment } from '../../domain/payment.js';
import { recorded } from './hot-payments.js';
import { PaymentRecord } from './payment.record.js';

const COLUMNS = `organization_id AS "organizationId", ${selectionOf(PaymentRecord)}`;
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
  ) {
    super();
  }

  add(caller: Caller, payment: Payment): Write {
    return recorded(caller, payment);
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
