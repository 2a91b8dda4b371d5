import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { Clock } from '../../../shared/clock.js';
import { type Decision, decided, type Write } from '../../../shared/decision.js';
import { notFound } from '../../../shared/errors.js';
import { type NewPayment, Payment } from '../domain/payment.js';
import { KnownOrganizations, PaidSessions, Payments } from './ports.js';

export interface RecordedPayment {
  readonly payment: Payment;
  /** False when the same capture had been recorded under the same reference before. */
  readonly isNew: boolean;
}

@Injectable()
export class RecordPayment {
  constructor(
    private readonly payments: Payments,
    private readonly sessions: PaidSessions,
    private readonly organizations: KnownOrganizations,
    private readonly clock: Clock,
  ) {}

  /**
   * Records what the ledger captured and completes the session that it was captured for. Safe to repeat with the same
   * reference. Refuses with not_found, payment_reference_reused or what completing the session refuses.
   */
  async execute(caller: Caller, input: NewPayment): Promise<Decision<RecordedPayment>> {
    if (!(await this.organizations.has(caller.organization))) throw notFound('organization');
    const payment = Payment.record(input, caller.mode, this.clock.now());
    const earlier = await this.earlier(caller, payment);
    if (earlier) return decided({ payment: earlier, isNew: false });
    try {
      const completion = await this.completion(caller, payment);
      return decided({ payment, isNew: true }, ...completion, this.payments.add(caller, payment));
    } catch (error) {
      // The same capture, told twice at once: the session may be complete because the other one has just recorded it.
      const winner = await this.earlier(caller, payment);
      if (!winner) throw error;
      return decided({ payment: winner, isNew: false });
    }
  }

  private async completion(caller: Caller, { state }: Payment): Promise<readonly Write[]> {
    const { checkoutSession, amount, currency } = state;
    return checkoutSession === null ? [] : this.sessions.complete(caller, checkoutSession, { amount, currency });
  }

  private async earlier(caller: Caller, payment: Payment): Promise<Payment | undefined> {
    const { reference } = payment.state;
    const earlier = reference === null ? undefined : await this.payments.byReference(caller, reference);
    earlier?.requireSameCapture(payment);
    return earlier;
  }
}
