import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { type Decided, decided, type Write } from '../../../shared/decision.js';
import { notFound, Refusal } from '../../../shared/errors.js';
import { type NewPayment, Payment } from '../domain/payment.js';
import { FindNotifyUrl } from './find-notify-url.js';
import { KnownOrganizations, PaidSessions, PaymentEvents, Payments } from './ports.js';

/** What to do with a payment that does not match its session. `record` exists because the money was captured all the same. */
export const ON_MISMATCH = ['refuse', 'record'] as const;
export type OnMismatch = (typeof ON_MISMATCH)[number];

export interface RecordedPayment {
  readonly payment: Payment;
  /** False if the same capture was already recorded under the same reference. */
  readonly isNew: boolean;
}

@Injectable()
export class RecordPayment {
  constructor(
    private readonly payments: Payments,
    private readonly sessions: PaidSessions,
    private readonly events: PaymentEvents,
    private readonly findNotifyUrl: FindNotifyUrl,
    private readonly organizations: KnownOrganizations,
    private readonly clock: CallerClock,
  ) {}

  /** Safe to repeat with the same reference. Refuses with not_found, payment_reference_reused, or as CompleteCheckoutSession does. */
  async execute(
    caller: Caller,
    input: NewPayment,
    onMismatch: OnMismatch = 'refuse',
  ): Promise<Decided<RecordedPayment>> {
    if (!(await this.organizations.has(caller.organization))) throw notFound('organization');
    const payment = Payment.record(input, caller.mode, this.clock.at(caller));
    const earlier = await this.earlier(caller, payment);
    if (earlier) return decided({ payment: earlier, isNew: false });
    try {
      return await this.matched(caller, payment, onMismatch);
    } catch (error) {
      // Another request may have recorded the same capture meanwhile, which completed the session.
      const winner = await this.earlier(caller, payment);
      if (!winner) throw error;
      return decided({ payment: winner, isNew: false });
    }
  }

  private async matched(caller: Caller, payment: Payment, onMismatch: OnMismatch): Promise<Decided<RecordedPayment>> {
    const { checkoutSession: session, amount, currency } = payment.state;
    if (session === null) return this.recorded(caller, payment);
    try {
      return await this.recorded(caller, payment, await this.sessions.complete(caller, session, { amount, currency }));
    } catch (error) {
      if (!(error instanceof Refusal) || onMismatch === 'refuse') throw error;
      const mismatch = await this.sessions.mismatch(caller, session, { amount, currency });
      if (mismatch === null) throw error;
      return this.recorded(caller, payment.unmatched(mismatch));
    }
  }

  private async recorded(caller: Caller, payment: Payment, completion: readonly Write[] = []) {
    const event = payment.state.mismatch === null ? 'payment.created' : 'payment.unmatched';
    const notifyUrl = await this.findNotifyUrl.execute(caller, payment);
    const writes = [this.payments.add(caller, payment), this.events.record(caller, event, payment, notifyUrl)];
    return decided({ payment, isNew: true }, ...completion, ...writes);
  }

  private async earlier(caller: Caller, payment: Payment): Promise<Payment | undefined> {
    const { reference } = payment.state;
    const earlier = reference === null ? undefined : await this.payments.byReference(caller, reference);
    earlier?.requireSameCapture(payment);
    return earlier;
  }
}
