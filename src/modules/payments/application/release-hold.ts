import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import type { Hold } from '../domain/hold.js';
import { FindNotifyUrl } from './find-notify-url.js';
import { HeldAmounts, Holds, PaymentEvents, Payments } from './ports.js';

@Injectable()
export class ReleaseHold {
  constructor(
    private readonly payments: Payments,
    private readonly holds: Holds,
    private readonly heldAmounts: HeldAmounts,
    private readonly events: PaymentEvents,
    private readonly findNotifyUrl: FindNotifyUrl,
  ) {}

  /** Frees the amount of a hold. A released hold stays as it is. Refuses with not_found. */
  async execute(caller: Caller, id: string): Promise<Decision<Hold>> {
    const { state } = await this.holds.get(caller, id);
    return inTransaction(async () => {
      const payment = await this.payments.lock(caller, state.payment);
      // Read again under the payment's lock: another request may have released the hold meanwhile.
      const hold = await this.holds.get(caller, id);
      const released = hold.release();
      if (released === hold) return decided(hold);
      const notifyUrl = await this.findNotifyUrl.execute(caller, payment);
      return decided(
        released,
        this.holds.close(caller, released),
        this.heldAmounts.release(caller, state.payment, state.amount),
        this.events.record(caller, 'payment.released', payment.withHold(-state.amount), notifyUrl),
      );
    });
  }
}
