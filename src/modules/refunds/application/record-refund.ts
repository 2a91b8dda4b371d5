import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { type Decided, decided } from '../../../shared/decision.js';
import { notFound } from '../../../shared/errors.js';
import { ownId } from '../../../shared/own-id.js';
import type { MadeRefund } from '../domain/made-refund.js';
import { Refund } from '../domain/refund.js';
import { CloseRefund } from './close-refund.js';
import { KnownOrganizations, RefundEvents, RefundedAmounts, RefundedPayments, Refunds } from './ports.js';
import type { ProposedRefund } from './propose-refund.js';

@Injectable()
export class RecordRefund {
  constructor(
    private readonly refunds: Refunds,
    private readonly payments: RefundedPayments,
    private readonly amounts: RefundedAmounts,
    private readonly events: RefundEvents,
    private readonly organizations: KnownOrganizations,
    private readonly closeRefund: CloseRefund,
    private readonly clock: CallerClock,
  ) {}

  /** Safe to repeat with the same provider reference. Refuses with not_found, refund_exceeds_remaining or refund_reference_reused. */
  async execute(caller: Caller, made: MadeRefund): Promise<Decided<ProposedRefund>> {
    if (!(await this.organizations.exists(caller.organization))) throw notFound('organization');
    const id = ownId(caller, made.payment, 'payment');
    const { state, refundable } = await this.payments.get(caller, id, 'payment');
    // After the payment: what of it is gone then is not gone for a refund that is still unknown.
    const known = await this.known(caller, made);
    if (known) {
      const { result, writes } = await this.closeRefund.found(caller, known, made);
      return decided({ refund: result, isNew: false }, ...writes);
    }
    const refund = Refund.record({ ...state, refundable }, made, await this.clock.at(caller));
    return decided(
      { refund, isNew: true },
      this.refunds.add(caller, refund),
      this.amounts.lock(caller, id),
      this.refunds.requireOnly(caller, refund),
      this.events.record(caller, 'refund.created', refund, state.notifyUrl),
      this.events.record(caller, 'refund.succeeded', refund, state.notifyUrl),
      this.amounts.change(caller, id, 'refund_unreserved', refund.state.amount),
    );
  }

  private async known(caller: Caller, made: MadeRefund): Promise<Refund | undefined> {
    const paid = await this.refunds.byPayout(caller, made);
    return paid ?? (made.reference === null ? undefined : this.refunds.byReference(caller, made.reference));
  }
}
