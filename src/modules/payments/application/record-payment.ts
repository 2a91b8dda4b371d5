import { Injectable } from '@nestjs/common';
import { invalidParam, notFound } from '../../../shared/errors.js';
import { type OwnId, ownId } from '../../../shared/own-id.js';
import { Stale, type Unit } from '../../../shared/unit.js';
import { Organizations } from '../../access/index.js';
import {
  CheckoutSessionQueries,
  CloseCheckoutSession,
  type OnMismatch,
} from '../../checkout/index.js';
import { type NewPayment, Payment } from '../domain/payment.js';
import { PaymentEvents, Payments } from './ports.js';

export interface RecordedPayment {
  readonly payment: Payment;
  /** This is false if the same capture was already recorded under the same reference. */
  readonly isNew: boolean;
}

@Injectable()
export class RecordPayment {
  constructor(
    private readonly payments: Payments,
    private readonly sessions: CheckoutSessionQueries,
    private readonly closeSession: CloseCheckoutSession,
    private readonly organizations: Organizations,
    private readonly events: PaymentEvents,
  ) {}

  /**
   * Records a captured payment. It is safe to repeat with the same reference. Refuses with
   * not_found, payment_reference_reused, or as CloseCheckoutSession.pay does.
   */
  async execute(
    unit: Unit,
    input: NewPayment,
    onMismatch: OnMismatch = 'refuse',
  ): Promise<RecordedPayment> {
    if (!(await this.organizations.exists(unit))) throw notFound('organization');
    const payment = Payment.record(input, unit, unit);
    const earlier = await this.earlier(unit, payment);
    if (earlier) return { payment: earlier, isNew: false };
    try {
      return { payment: await this.record(unit, payment, onMismatch), isNew: true };
    } catch (error) {
      // Another request may have recorded the same capture meanwhile and completed the session.
      throw (await this.earlier(unit, payment)) ? new Stale() : error;
    }
  }

  /**
   * Records a payment of the session, even one that does not match it. A value that is not given is
   * the one that the session asks for. Refuses with not_found or invalid_param.
   */
  async pay(
    unit: Unit,
    session: OwnId,
    paid: { amount?: number; currency?: string | null },
  ): Promise<RecordedPayment> {
    const { amountTotal, currency } = (await this.sessions.get(unit, session)).state;
    if (paid.amount === undefined && amountTotal === 0) throw nothingToPay();
    const captured = { amount: paid.amount ?? amountTotal, currency: paid.currency ?? currency };
    return this.execute(unit, { ...captured, checkoutSession: session, reference: null }, 'record');
  }

  private async record(unit: Unit, captured: Payment, onMismatch: OnMismatch): Promise<Payment> {
    const payment = await this.matched(unit, captured, onMismatch);
    this.payments.add(unit, payment);
    this.events.record(
      unit,
      payment.state.mismatch === null ? 'payment.created' : 'payment.unmatched',
      payment,
    );
    return payment;
  }

  private async matched(unit: Unit, payment: Payment, onMismatch: OnMismatch): Promise<Payment> {
    const { checkoutSession, amount, currency } = payment.state;
    if (checkoutSession === null) return payment;
    const session = ownId(unit, checkoutSession, 'checkout_session');
    return payment.of(await this.closeSession.pay(unit, session, { amount, currency }, onMismatch));
  }

  private async earlier(unit: Unit, payment: Payment): Promise<Payment | undefined> {
    const { reference } = payment.state;
    const earlier =
      reference === null ? undefined : await this.payments.byReference(unit, reference);
    earlier?.requireSameCapture(payment);
    return earlier;
  }
}

function nothingToPay() {
  const message =
    'The total of the session is 0: complete the session instead, or send an amount that does ' +
    'not match.';
  return invalidParam('amount', 'required', message);
}
