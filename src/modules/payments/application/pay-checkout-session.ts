import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import type { Decided } from '../../../shared/decision.js';
import { invalidParam } from '../../../shared/errors.js';
import type { OwnId } from '../../../shared/own-id.js';
import { CheckoutSessionQueries } from '../../checkout/index.js';
import { type RecordedPayment, RecordPayment } from './record-payment.js';

/** What a customer paid. What is missing is what the session asks for. */
interface Paid {
  readonly amount?: number;
  readonly currency?: string | null;
}

@Injectable()
export class PayCheckoutSession {
  constructor(
    private readonly sessions: CheckoutSessionQueries,
    private readonly recordPayment: RecordPayment,
  ) {}

  /** Records the payment, also one that does not match the session. Refuses with not_found or invalid_param. */
  async execute(caller: Caller, session: OwnId, paid: Paid): Promise<Decided<RecordedPayment>> {
    const { amountTotal, currency } = (await this.sessions.get(caller, session)).state;
    if (paid.amount === undefined && amountTotal === 0) throw nothingToPay();
    const captured = { amount: paid.amount ?? amountTotal, currency: paid.currency ?? currency };
    return this.recordPayment.execute(caller, { ...captured, checkoutSession: session, reference: null }, 'record');
  }
}

function nothingToPay() {
  const message = 'The total of the session is 0: complete the session instead, or send an amount that does not match.';
  return invalidParam('amount', 'required', message);
}
