import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import type { OwnId } from '../../../shared/own-id.js';
import { Hold, type NewHold } from '../domain/hold.js';
import { HeldAmounts, Holds, PaymentEvents, Payments } from './ports.js';

@Injectable()
export class PlaceHold {
  constructor(
    private readonly payments: Payments,
    private readonly holds: Holds,
    private readonly heldAmounts: HeldAmounts,
    private readonly events: PaymentEvents,
    private readonly clock: CallerClock,
  ) {}

  /** Locks the payment, so that its events are numbered in order. Refuses with not_found, hold_exceeds_remaining or payment_not_refundable. */
  async execute(caller: Caller, paymentId: OwnId, input: NewHold): Promise<Decision<Hold>> {
    return inTransaction(caller, async () => {
      const payment = await this.payments.lock(caller, paymentId);
      const hold = Hold.place(payment, input, await this.clock.at(caller));
      const { amount } = hold.state;
      return decided(
        hold,
        this.heldAmounts.change(caller, paymentId, 'hold', amount),
        this.holds.add(caller, hold),
        this.events.record(caller, 'payment.held', payment.withHold(amount)),
      );
    });
  }
}
