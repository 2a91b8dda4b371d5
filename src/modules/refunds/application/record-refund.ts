import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { notFound } from '../../../shared/errors.js';
import { ownId } from '../../../shared/own-id.js';
import { Organizations } from '../../access/index.js';
import { Payments } from '../../payments/index.js';
import type { MadeRefund } from '../domain/made-refund.js';
import { Refund } from '../domain/refund.js';
import { DecideRefund } from './decide-refund.js';
import { RefundEvents, Refunds } from './ports.js';
import type { ProposedRefund } from './propose-refund.js';

@Injectable()
export class RecordRefund {
  constructor(
    private readonly refunds: Refunds,
    private readonly payments: Payments,
    private readonly events: RefundEvents,
    private readonly organizations: Organizations,
    private readonly decideRefund: DecideRefund,
    private readonly clock: CallerClock,
  ) {}

  /** Safe to repeat with the same provider reference. Refuses with not_found, refund_exceeds_remaining or refund_reference_reused. */
  async execute(caller: Caller, made: MadeRefund): Promise<Decision<ProposedRefund>> {
    if (!(await this.organizations.exists(caller.organization))) throw notFound('organization');
    const id = ownId(caller, made.payment, 'payment');
    return inTransaction<ProposedRefund>(caller, async () => {
      const known = await this.refunds.known(caller, made);
      if (known) {
        const { result, writes } = await this.decideRefund.found(caller, known, made);
        return decided({ refund: result, isNew: false }, ...writes);
      }
      const { state, refundable } = await this.payments.lock(caller, id, 'payment');
      await this.refunds.requireUnknown(caller, made);
      const timed = await this.clock.at(caller);
      const refund = Refund.record({ ...state, refundable }, made, timed);
      return decided(
        { refund, isNew: true },
        this.refunds.add(caller, refund),
        this.events.record(timed, 'refund.created', refund, state.notifyUrl),
        this.events.record(timed, 'refund.succeeded', refund, state.notifyUrl),
        this.payments.changeAmount(caller, id, 'refund_unreserved', refund.state.amount),
      );
    });
  }
}
