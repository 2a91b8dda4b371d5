import { Injectable } from '@nestjs/common';
import { type Ledger, Owners } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import type { OwnId } from '../../../shared/own-id.js';
import { Payments } from '../../payments/index.js';
import { type Repair, repairOf } from '../domain/repair.js';
import { RefundEvents, Refunds } from './ports.js';

/** Makes the sums of a payment those of its refunds. Versions before 1.2 could reserve the amount of a refund nowhere. */
@Injectable()
export class RepairPayment {
  constructor(
    private readonly owners: Owners,
    private readonly refunds: Refunds,
    private readonly payments: Payments,
    private readonly events: RefundEvents,
    private readonly clock: CallerClock,
  ) {}

  /** What is to be repaired. Nothing is written unless `isMeant`. Refuses with not_found. */
  async execute(ledger: Ledger, id: OwnId, isMeant: boolean): Promise<Decision<Repair>> {
    const caller = await this.owners.of(ledger, id);
    return inTransaction(caller, async () => {
      const { state } = await this.payments.lock(caller, id);
      const repair = repairOf(state, await this.refunds.ofPayment(caller, id));
      if (!isMeant) return decided(repair);
      for (const { before, after } of repair.failed) await this.refunds.change(caller, before, after);
      await this.payments.restoreAmounts(caller, id, repair);
      const timed = await this.clock.at(caller);
      return decided(
        repair,
        ...repair.failed.map(({ after }) => this.events.record(timed, 'refund.failed', after, state.notifyUrl)),
      );
    });
  }
}
