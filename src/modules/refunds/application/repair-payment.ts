import { Injectable } from '@nestjs/common';
import type { OwnId } from '../../../shared/own-id.js';
import type { Unit } from '../../../shared/unit.js';
import { Payments } from '../../payments/index.js';
import { type Repair, repairOf } from '../domain/repair.js';
import { RefundEvents, Refunds } from './ports.js';

/**
 * Sets the sums of a payment to those of its refunds, because versions before 1.2 could lose the
 * reservation of a refund.
 */
@Injectable()
export class RepairPayment {
  constructor(
    private readonly refunds: Refunds,
    private readonly payments: Payments,
    private readonly events: RefundEvents,
  ) {}

  /** Returns what is to be repaired. It writes nothing unless `isMeant`. Refuses with not_found. */
  async execute(unit: Unit, id: OwnId, isMeant: boolean): Promise<Repair> {
    const { state } = await this.payments.lock(unit, id);
    const repair = repairOf(state, await this.refunds.lockOfPayment(unit, id));
    if (!isMeant) return repair;
    for (const refund of repair.failed) {
      this.refunds.change(unit, refund);
      this.events.record(unit, 'refund.failed', refund, state.notifyUrl);
    }
    this.payments.restoreAmounts(unit, id, repair);
    return repair;
  }
}
