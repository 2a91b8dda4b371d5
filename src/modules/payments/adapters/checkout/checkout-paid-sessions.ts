import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../../shared/caller.js';
import type { Write } from '../../../../shared/decision.js';
import { CompleteCheckoutSession, FindNotifyUrl } from '../../../checkout/index.js';
import { type Captured, PaidSessions } from '../../application/ports.js';
import type { Mismatch } from '../../domain/payment.js';

@Injectable()
export class CheckoutPaidSessions extends PaidSessions {
  constructor(
    private readonly completeCheckoutSession: CompleteCheckoutSession,
    private readonly findNotifyUrl: FindNotifyUrl,
  ) {
    super();
  }

  async complete(caller: Caller, id: string, captured: Captured): Promise<readonly Write[]> {
    return (await this.completeCheckoutSession.execute(caller, id, captured)).writes;
  }

  async mismatch(caller: Caller, id: string, captured: Captured): Promise<Mismatch | null> {
    return this.completeCheckoutSession.mismatch(caller, id, captured);
  }

  async notifyUrl(caller: Caller, id: string): Promise<string | null> {
    return this.findNotifyUrl.execute(caller, id);
  }
}
