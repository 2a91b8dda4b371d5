import type { Caller } from '../../../shared/caller.js';
import type { Moment } from '../../../shared/clock.js';
import { errorCodes, paramError, refusal } from '../../../shared/errors.js';
import { idKind, newId } from '../../../shared/id.js';
import type { Payment } from './payment.js';

export const HOLD_ID = idKind('hold');

export const HOLD_STATUSES = ['active', 'released'] as const;
export type HoldStatus = (typeof HOLD_STATUSES)[number];

export const HOLD_ERRORS = errorCodes('too_much', {
  hold_exceeds_remaining:
    'The amount is more than can be put on hold. `errors[0].allowed` is the largest possible ' +
    'amount.',
});

export interface HoldState extends Caller {
  readonly id: string;
  readonly payment: string;
  readonly amount: number;
  readonly reason: string | null;
  readonly reference: string | null;
  readonly status: HoldStatus;
}

export interface NewHold extends Pick<HoldState, 'reason' | 'reference'> {
  readonly amount: number | undefined;
}

export class Hold {
  private constructor(readonly state: HoldState) {}

  /** Puts the amount on hold, or without an amount all that is left. Refuses more than is left. */
  static place(
    payment: Payment,
    { amount, reason, reference }: NewHold,
    now: number | Moment,
  ): Hold {
    const { refundable, state } = payment;
    payment.requireRefundable('id', 'put on hold');
    if (amount !== undefined && amount > refundable) {
      const message = `Only ${refundable} is left of this payment.`;
      throw refusal(
        HOLD_ERRORS.hold_exceeds_remaining,
        paramError('amount', 'too_large', message, [refundable]),
      );
    }
    const { organization, mode, id } = state;
    const terms = { payment: id, amount: amount ?? refundable, reason, reference };
    return new Hold({ ...terms, organization, mode, id: newId(HOLD_ID, now), status: 'active' });
  }

  static restore(state: HoldState): Hold {
    return new Hold(state);
  }

  /** Releases the hold. A released hold stays as it is. */
  release(): Hold {
    return this.state.status === 'released'
      ? this
      : new Hold({ ...this.state, status: 'released' });
  }
}
