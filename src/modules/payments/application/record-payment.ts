import { Injectable } from '@nestjs/common';
import type { Keep } from '../../../shared/answer.js';
import type { Caller } from '../../../shared/caller.js';
import { Clock } from '../../../shared/clock.js';
import { notFound } from '../../../shared/errors.js';
import { Transaction } from '../../../shared/transaction.js';
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
    private readonly transaction: Transaction,
    private readonly clock: Clock,
  ) {}

  /**
   * Records what the ledger captured and completes the session it was captured for, in one transaction. Safe to repeat
   * with the same reference. Refuses with not_found, payment_reference_reused or what completing the session refuses.
   */
  async execute(caller: Caller, input: NewPayment, keep?: Keep<Payment>): Promise<RecordedPayment> {
    if (!(await this.organizations.has(caller.organization))) throw notFound('organization');
    const payment = Payment.record(input, caller.mode, this.clock.now());
    const earlier = await this.earlier(caller, payment);
    if (earlier) return { payment: earlier, isNew: false };
    try {
      await this.transaction.run(async () => {
        const { checkoutSession, amount, currency } = payment.facts;
        if (checkoutSession !== null) await this.sessions.complete(caller, checkoutSession, { amount, currency });
        await this.payments.add(caller, payment, keep?.(payment));
      });
      return { payment, isNew: true };
    } catch (error) {
      // The same capture, told twice at once: whoever lost finds what the winner recorded.
      const winner = await this.earlier(caller, payment);
      if (!winner) throw error;
      return { payment: winner, isNew: false };
    }
  }

  private async earlier(caller: Caller, payment: Payment): Promise<Payment | undefined> {
    const { reference } = payment.facts;
    const earlier = reference === null ? undefined : await this.payments.byReference(caller, reference);
    earlier?.requireSameCapture(payment);
    return earlier;
  }
}
