import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { type OwnId, ownId } from '../../../shared/own-id.js';
import { PaymentQueries } from '../../payments/index.js';
import type { ApprovalDecision, ApprovedAmount } from '../domain/approval.js';
import type { Refund } from '../domain/refund.js';
import { CloseRefund } from './close-refund.js';
import { RefundEvents, Refunds } from './ports.js';

/** Each method decides by the caller's clock, and refuses with not_found and as the same method of Refund does. */
@Injectable()
export class DecideApproval {
  constructor(
    private readonly refunds: Refunds,
    private readonly payments: PaymentQueries,
    private readonly events: RefundEvents,
    private readonly closeRefund: CloseRefund,
    private readonly clock: CallerClock,
  ) {}

  /** Leaves the payment alone, which has reserved the amount since the proposal: so there is money for what was approved. */
  async approve(caller: Caller, id: OwnId, approval: Omit<ApprovedAmount, 'now'>): Promise<Decision<Refund>> {
    const timed = await this.clock.at(caller);
    const seen = await this.refunds.get(caller, id);
    const refund = seen.approve({ ...approval, now: timed.now });
    if (refund === seen) return decided(seen);
    const { state } = await this.payments.get(caller, ownId(caller, refund.state.payment));
    return inTransaction(caller, async () => {
      await this.refunds.change(caller, seen, refund);
      return decided(refund, this.events.record(timed, 'refund.approved', refund, state.notifyUrl));
    });
  }

  async reject(caller: Caller, id: OwnId, rejection: Omit<ApprovalDecision, 'now'>): Promise<Decision<Refund>> {
    const { now } = await this.clock.at(caller);
    return this.closeRefund.cancel(caller, id, (refund) => refund.reject({ ...rejection, now }));
  }

  async expire(caller: Caller, id: OwnId): Promise<Decision<Refund>> {
    const { now } = await this.clock.at(caller);
    return this.closeRefund.cancel(caller, id, (refund) => refund.expire(now));
  }
}
