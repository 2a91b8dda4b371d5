import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import type { OnMismatch } from '../../../shared/captured.js';
import { CallerClock, type TimedCaller } from '../../../shared/clock.js';
import { type Decided, decided } from '../../../shared/decision.js';
import { invalidParam, notFound } from '../../../shared/errors.js';
import { type OwnId, ownId } from '../../../shared/own-id.js';
import { Organizations } from '../../access/index.js';
import { ChangeCheckoutSession, CheckoutSessionQueries } from '../../checkout/index.js';
import { type NewPayment, Payment } from '../domain/payment.js';
import { Payments } from './ports.js';

export interface RecordedPayment {
  readonly payment: Payment;
  /** False if the same capture was already recorded under the same reference. */
  readonly isNew: boolean;
}

@Injectable()
export class RecordPayment {
  constructor(
    private readonly payments: Payments,
    private readonly sessions: CheckoutSessionQueries,
    private readonly changeSession: ChangeCheckoutSession,
    private readonly organizations: Organizations,
    private readonly clock: CallerClock,
  ) {}

  /** Safe to repeat with the same reference. Refuses with not_found, payment_reference_reused, or as ChangeCheckoutSession does. */
  async execute(
    caller: Caller,
    input: NewPayment,
    onMismatch: OnMismatch = 'refuse',
  ): Promise<Decided<RecordedPayment>> {
    if (!(await this.organizations.exists(caller.organization))) throw notFound('organization');
    const timed = await this.clock.at(caller);
    const payment = Payment.record(input, caller, timed);
    const earlier = await this.earlier(caller, payment);
    if (earlier) return decided({ payment: earlier, isNew: false });
    try {
      return await this.matched(timed, payment, onMismatch);
    } catch (error) {
      // Another request may have recorded the same capture meanwhile, which completed the session.
      const winner = await this.earlier(caller, payment);
      if (!winner) throw error;
      return decided({ payment: winner, isNew: false });
    }
  }

  /** Records also what does not match the session. What is not given is what it asks for. Refuses with not_found or invalid_param. */
  async pay(
    caller: Caller,
    session: OwnId,
    paid: { amount?: number; currency?: string | null },
  ): Promise<Decided<RecordedPayment>> {
    const { amountTotal, currency } = (await this.sessions.get(caller, session)).state;
    if (paid.amount === undefined && amountTotal === 0) throw nothingToPay();
    const captured = { amount: paid.amount ?? amountTotal, currency: paid.currency ?? currency };
    return this.execute(caller, { ...captured, checkoutSession: session, reference: null }, 'record');
  }

  private async matched(
    caller: TimedCaller,
    payment: Payment,
    onMismatch: OnMismatch,
  ): Promise<Decided<RecordedPayment>> {
    const { checkoutSession, amount, currency } = payment.state;
    if (checkoutSession === null) return this.recorded(caller, payment);
    const session = ownId(caller, checkoutSession, 'checkout_session');
    const paid = await this.changeSession.pay(caller, session, { amount, currency }, onMismatch);
    const { result, writes } = this.recorded(caller, payment.of(paid.result));
    return decided(result, ...paid.writes, ...writes);
  }

  private recorded(caller: TimedCaller, payment: Payment): Decided<RecordedPayment> {
    const event = payment.state.mismatch === null ? 'payment.created' : 'payment.unmatched';
    const writes = [this.payments.add(caller, payment), this.payments.record(caller, event, payment)];
    return decided({ payment, isNew: true }, ...writes);
  }

  private async earlier(caller: Caller, payment: Payment): Promise<Payment | undefined> {
    const { reference } = payment.state;
    const earlier = reference === null ? undefined : await this.payments.byReference(caller, reference);
    earlier?.requireSameCapture(payment);
    return earlier;
  }
}

function nothingToPay() {
  const message = 'The total of the session is 0: complete the session instead, or send an amount that does not match.';
  return invalidParam('amount', 'required', message);
}
