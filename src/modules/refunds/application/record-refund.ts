import { Injectable } from '@nestjs/common';
import { notFound } from '../../../shared/errors.js';
import { ownId } from '../../../shared/own-id.js';
import type { Unit } from '../../../shared/unit.js';
import { Organizations } from '../../access/index.js';
import { LaterDetails, type Payment, Payments } from '../../payments/index.js';
import { Refund } from '../domain/refund.js';
import type { MadeRefund } from '../domain/refund-state.js';
import { RefundEvents, Refunds } from './ports.js';
import type { KnownRefund } from './propose-refund.js';
import { SettleRefund } from './settle-refund.js';

/**
 * Records a payout that was found elsewhere, whether its refund is known or not. It is safe to
 * repeat with the same provider reference. Refuses with not_found, refund_exceeds_remaining or
 * refund_reference_reused.
 */
@Injectable()
export class RecordRefund {
  constructor(
    private readonly refunds: Refunds,
    private readonly payments: Payments,
    private readonly events: RefundEvents,
    private readonly laterDetails: LaterDetails,
    private readonly organizations: Organizations,
    private readonly settle: SettleRefund,
  ) {}

  async execute(unit: Unit, made: MadeRefund): Promise<KnownRefund> {
    if (!(await this.organizations.exists(unit))) throw notFound('organization');
    const id = ownId(unit, made.payment, 'payment');
    const payment = await this.payments.lock(unit, id, 'payment');
    const { state, refundable } = payment;
    const known = (await this.refunds.byPayout(unit, made)) ?? (await this.proposed(unit, made));
    if (known) return { refund: await this.settleKnown(unit, payment, known, made), isNew: false };
    const refund = Refund.record({ ...state, refundable }, made, unit);
    if (refund.hasDetails) this.laterDetails.note(unit, payment);
    this.refunds.add(unit, refund);
    this.events.record(unit, 'refund.created', refund, state.notifyUrl);
    this.events.record(unit, 'refund.succeeded', refund, state.notifyUrl);
    this.payments.changeAmount(unit, payment, 'refund_unreserved', refund.state.amount);
    return { refund, isNew: true };
  }

  private async settleKnown(
    unit: Unit,
    payment: Payment,
    known: Refund,
    made: MadeRefund,
  ): Promise<Refund> {
    // A refund of another payment is refused before it would be locked.
    known.found(made);
    const { refund } = await this.refunds.lock(unit, ownId(unit, known.state.id));
    return this.settle.execute(unit, payment, refund, refund.found(made));
  }

  private async proposed(unit: Unit, { reference }: MadeRefund): Promise<Refund | undefined> {
    return reference === null ? undefined : this.refunds.byReference(unit, reference);
  }
}
