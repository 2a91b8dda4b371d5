import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import type { OwnId } from '../../../shared/own-id.js';
import { requirePaymentUrl } from '../../../shared/payment-url.js';
import { CheckoutSessionQueries, type CheckoutSessionState } from '../../checkout/index.js';
import { Pages } from './ports.js';

@Injectable()
export class SetPaymentUrl {
  constructor(
    private readonly pages: Pages,
    private readonly sessions: CheckoutSessionQueries,
  ) {}

  /** Refuses an unsuitable URL with invalid_param. */
  async ofSession(caller: Caller, session: OwnId, url: string): Promise<Decision<CheckoutSessionState>> {
    requirePaymentUrl('payment_url', url, caller.mode);
    const { state } = await this.sessions.get(caller, session);
    return inTransaction(caller, async () => {
      await this.pages.setPaymentUrl(caller, session, url);
      return decided(state);
    });
  }
}
