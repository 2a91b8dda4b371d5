import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { ownId } from '../../../shared/own-id.js';
import type { Hold } from '../domain/hold.js';
import { HeldAmounts, Holds, PaymentEvents, Payments } from './ports.js';

@Injectable()
export class ReleaseHold {
  constructor(
    private readonly payments: Payments,
    private readonly holds: Holds,
    private readonly heldAmounts: HeldAmounts,
    private readonly events: PaymentEvents,
  ) {}

  /** Frees the amount of a hold. A released hold stays as it is. Refuses with not_found. */
  async execute(caller: Caller, id: string): Promise<Decision<Hold>> {
    const { state } = await this.holds.get(caller, id);
    const paymentId = ownId(caller, state.payment);
    return inTransaction(caller, async () => {
      const payment = await this.payments.lock(caller, paymentId);
      // Read again under the payment's lock: another request may have released the hold meanwhile.
      const hold = await this.holds.get(caller, id);
      const released = hold.release();
      if (released === hold) return decided(hold);
      return decided(
        released,
        this.holds.close(caller, released),
        this.heldAmounts.change(caller, paymentId, 'release', state.amount),
        this.events.record(caller, 'payment.released', payment.withHold(-state.amount)),
      );
    });
  }
}
