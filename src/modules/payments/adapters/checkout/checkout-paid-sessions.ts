import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../../shared/caller.js';
import type { Captured, OnMismatch } from '../../../../shared/captured.js';
import { type Decided, decided } from '../../../../shared/decision.js';
import type { OwnId } from '../../../../shared/own-id.js';
import { CheckoutSessionQueries, CloseCheckoutSession } from '../../../checkout/index.js';
import { type PaidSession, PaidSessions } from '../../application/ports.js';

@Injectable()
export class CheckoutPaidSessions extends PaidSessions {
  constructor(
    private readonly sessions: CheckoutSessionQueries,
    private readonly closeCheckoutSession: CloseCheckoutSession,
  ) {
    super();
  }

  async asked(caller: Caller, id: OwnId): Promise<Captured> {
    const { amountTotal: amount, currency } = (await this.sessions.get(caller, id)).state;
    return { amount, currency };
  }

  async pay(caller: Caller, id: OwnId, captured: Captured, onMismatch: OnMismatch): Promise<Decided<PaidSession>> {
    const { result, writes } = await this.closeCheckoutSession.pay(caller, id, captured, onMismatch);
    const { mismatch, session } = result;
    return decided({ mismatch, notifyUrl: session.state.notifyUrl }, ...writes);
  }
}
