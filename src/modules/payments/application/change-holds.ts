import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { type OwnId, ownId } from '../../../shared/own-id.js';
import { Hold, type NewHold } from '../domain/hold.js';
import { Holds, Payments } from './ports.js';

/** Each method locks the payment, so that its events are numbered in order. Refuses with not_found, and as the same method of Hold does. */
@Injectable()
export class ChangeHolds {
  constructor(
    private readonly payments: Payments,
    private readonly holds: Holds,
    private readonly clock: CallerClock,
  ) {}

  place(caller: Caller, paymentId: OwnId, input: NewHold): Decision<Hold> {
    return inTransaction(caller, async () => {
      const payment = await this.payments.lock(caller, paymentId);
      const timed = await this.clock.at(caller);
      const hold = Hold.place(payment, input, timed);
      const { amount } = hold.state;
      await this.holds.add(caller, hold);
      return decided(
        hold,
        this.payments.record(timed, 'payment.held', payment.withHold(amount)),
        this.payments.changeAmount(caller, paymentId, 'hold', amount),
      );
    });
  }

  /** Frees the amount of a hold. A released hold stays as it is. */
  async release(caller: Caller, id: string): Promise<Decision<Hold>> {
    const { state } = await this.holds.get(caller, id);
    const paymentId = ownId(caller, state.payment);
    return inTransaction(caller, async () => {
      const payment = await this.payments.lock(caller, paymentId);
      // Read again under the payment's lock: another request may have released the hold meanwhile.
      const hold = await this.holds.get(caller, id);
      const released = hold.release();
      if (released === hold) return decided(hold);
      await this.holds.close(caller, released);
      return decided(
        released,
        this.payments.record(await this.clock.at(caller), 'payment.released', payment.withHold(-state.amount)),
        this.payments.changeAmount(caller, paymentId, 'release', state.amount),
      );
    });
  }
}
