import { Injectable } from '@nestjs/common';
import { type OwnId, ownId } from '../../../shared/own-id.js';
import type { Unit } from '../../../shared/unit.js';
import { Hold, type NewHold } from '../domain/hold.js';
import { Holds, LaterDetails, PaymentEvents, Payments } from './ports.js';

/**
 * Each method locks the payment, so that its events are numbered in order. It refuses with
 * not_found, and as the method of Hold with the same name does.
 */
@Injectable()
export class ChangeHolds {
  constructor(
    private readonly payments: Payments,
    private readonly holds: Holds,
    private readonly events: PaymentEvents,
    private readonly laterDetails: LaterDetails,
  ) {}

  async place(unit: Unit, paymentId: OwnId, input: NewHold): Promise<Hold> {
    const payment = await this.payments.lock(unit, paymentId);
    const hold = Hold.place(payment, input, unit);
    const { amount, reason } = hold.state;
    if (reason !== null) this.laterDetails.note(unit, payment);
    this.holds.add(unit, hold);
    this.events.record(unit, 'payment.held', payment.withHold(amount));
    this.payments.changeAmount(unit, payment, 'hold', amount);
    return hold;
  }

  /** Frees the amount of a hold. A released hold stays as it is. */
  async release(unit: Unit, id: string): Promise<Hold> {
    const { state } = await this.holds.get(unit, id);
    const paymentId = ownId(unit, state.payment);
    const payment = await this.payments.lock(unit, paymentId);
    // The hold is read again under the payment's lock, because another request may have released it
    // meanwhile.
    const hold = await this.holds.get(unit, id);
    const released = hold.release();
    if (released === hold) return hold;
    this.holds.close(unit, released);
    this.events.record(unit, 'payment.released', payment.withHold(-state.amount));
    this.payments.changeAmount(unit, payment, 'release', state.amount);
    return released;
  }
}
