import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../../shared/caller.js';
import { CompleteCheckoutSession, FindNotifyUrl } from '../../../checkout/index.js';
import { PaidSessions } from '../../application/ports.js';

@Injectable()
export class CheckoutPaidSessions extends PaidSessions {
  constructor(
    private readonly completeCheckoutSession: CompleteCheckoutSession,
    private readonly findNotifyUrl: FindNotifyUrl,
  ) {
    super();
  }

  async complete(caller: Caller, id: string, captured: { amount: number; currency: string }): Promise<void> {
    await this.completeCheckoutSession.execute(caller, id, captured);
  }

  async notifyUrl(caller: Caller, id: string): Promise<string | null> {
    return this.findNotifyUrl.execute(caller, id);
  }
}
