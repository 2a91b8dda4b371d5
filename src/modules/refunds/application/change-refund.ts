import { Injectable } from '@nestjs/common';
import { type OwnId, ownId } from '../../../shared/own-id.js';
import { Stale, type Unit } from '../../../shared/unit.js';
import { Payments } from '../../payments/index.js';
import type { Refund } from '../domain/refund.js';
import type { ApprovalDecision, Failure } from '../domain/refund-state.js';
import { Refunds } from './ports.js';
import { SettleRefund } from './settle-refund.js';

type Decision = Omit<ApprovalDecision, 'now'>;

/**
 * Changes a refund, by the clock of its organization. Each method refuses with not_found, and as
 * the method of Refund with the same name does.
 */
@Injectable()
export class ChangeRefund {
  constructor(
    private readonly refunds: Refunds,
    private readonly payments: Payments,
    private readonly settle: SettleRefund,
  ) {}

  approve(unit: Unit, id: OwnId, amount: number, decision: Decision): Promise<Refund> {
    return this.change(unit, id, (refund) =>
      refund.approve(amount, { ...decision, now: unit.now }),
    );
  }

  reject(unit: Unit, id: OwnId, decision: Decision): Promise<Refund> {
    return this.change(unit, id, (refund) => refund.reject({ ...decision, now: unit.now }));
  }

  cancel(unit: Unit, id: OwnId): Promise<Refund> {
    return this.change(unit, id, (refund) => refund.cancel(unit.now));
  }

  /** Cancels the refund if nobody has approved or rejected it in time. */
  expire(unit: Unit, id: OwnId): Promise<Refund> {
    return this.change(unit, id, (refund) => refund.expire(unit.now));
  }

  succeed(unit: Unit, id: OwnId, providerReference: string | null): Promise<Refund> {
    return this.change(unit, id, (refund) => refund.succeed(providerReference));
  }

  fail(unit: Unit, id: OwnId, failure: Failure): Promise<Refund> {
    return this.change(unit, id, (refund) => refund.fail(failure));
  }

  return(unit: Unit, id: OwnId, reason: string | null): Promise<Refund> {
    return this.change(unit, id, (refund) => refund.return(reason));
  }

  private async change(
    unit: Unit,
    id: OwnId,
    transition: (refund: Refund) => Refund,
  ): Promise<Refund> {
    const found = await this.refunds.get(unit, id);
    if (transition(found) === found) return this.unchanged(unit, id, transition);
    const payment = await this.payments.lock(unit, ownId(unit, found.state.payment));
    // The refund is read again under the payment's lock, because another request may have changed
    // it meanwhile.
    const { refund } = await this.refunds.lock(unit, id);
    return this.settle.execute(unit, payment, refund, transition(refund));
  }

  /**
   * Reads a refund that does not change under its lock, because the answer is stored: what was said
   * about the refund may be forgotten at this moment.
   */
  private async unchanged(
    unit: Unit,
    id: OwnId,
    transition: (refund: Refund) => Refund,
  ): Promise<Refund> {
    const { refund } = await this.refunds.lock(unit, id);
    if (transition(refund) !== refund) throw new Stale();
    return refund;
  }
}
