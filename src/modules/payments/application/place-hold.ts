import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { Hold, type NewHold } from '../domain/hold.js';
import { FindNotifyUrl } from './find-notify-url.js';
import { HeldAmounts, Holds, PaymentEvents, Payments } from './ports.js';

@Injectable()
export class PlaceHold {
  constructor(
    private readonly payments: Payments,
    private readonly holds: Holds,
    private readonly heldAmounts: HeldAmounts,
    private readonly events: PaymentEvents,
    private readonly findNotifyUrl: FindNotifyUrl,
    private readonly clock: CallerClock,
  ) {}

  /** Locks the payment, so that its events are numbered in order. Refuses with not_found, hold_exceeds_remaining or payment_not_refundable. */
  async execute(caller: Caller, paymentId: string, input: NewHold): Promise<Decision<Hold>> {
    return inTransaction(async () => {
      const payment = await this.payments.lock(caller, paymentId);
      const hold = Hold.place(payment, input, this.clock.at(caller));
      const { amount } = hold.state;
      const notifyUrl = await this.findNotifyUrl.execute(caller, payment);
      return decided(
        hold,
        this.heldAmounts.hold(caller, paymentId, amount),
        this.holds.add(caller, hold),
        this.events.record(caller, 'payment.held', payment.withHold(amount), notifyUrl),
      );
    });
  }
}
