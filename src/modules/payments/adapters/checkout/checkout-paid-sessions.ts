import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../../shared/caller.js';
import type { Write } from '../../../../shared/decision.js';
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

  async complete(
    caller: Caller,
    id: string,
    captured: { amount: number; currency: string },
  ): Promise<readonly Write[]> {
    return (await this.completeCheckoutSession.execute(caller, id, captured)).writes;
  }

  async notifyUrl(caller: Caller, id: string): Promise<string | null> {
    return this.findNotifyUrl.execute(caller, id);
  }
}
