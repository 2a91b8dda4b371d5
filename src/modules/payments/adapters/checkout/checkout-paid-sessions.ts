import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../../shared/caller.js';
import type { Captured, OnMismatch } from '../../../../shared/captured.js';
import { type Decided, decided } from '../../../../shared/decision.js';
import type { OwnId } from '../../../../shared/own-id.js';
import { CompleteCheckoutSession } from '../../../checkout/index.js';
import { type PaidSession, PaidSessions } from '../../application/ports.js';

@Injectable()
export class CheckoutPaidSessions extends PaidSessions {
  constructor(private readonly completeCheckoutSession: CompleteCheckoutSession) {
    super();
  }

  async pay(caller: Caller, id: OwnId, captured: Captured, onMismatch: OnMismatch): Promise<Decided<PaidSession>> {
    const { result, writes } = await this.completeCheckoutSession.execute(caller, id, captured, onMismatch);
    const { mismatch, session } = result;
    return decided({ mismatch, notifyUrl: session.state.notifyUrl }, ...writes);
  }
}
