import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import type { OwnId } from '../../../shared/own-id.js';
import { CheckoutSessionQueries } from '../../checkout/index.js';
import type { PageSession } from '../domain/checkout-page.js';
import { requirePaymentUrl, requireTemplate } from '../domain/payment-url.js';
import { Pages } from './ports.js';

/** Each method refuses an unsuitable URL with invalid_param. */
@Injectable()
export class SetPaymentUrl {
  constructor(
    private readonly pages: Pages,
    private readonly sessions: CheckoutSessionQueries,
  ) {}

  async ofSession(caller: Caller, session: OwnId, url: string): Promise<Decision<PageSession>> {
    requirePaymentUrl('payment_url', url, caller.mode);
    const { state } = await this.sessions.get(caller, session);
    return inTransaction(caller, async () => {
      await this.pages.setPaymentUrl(caller, session, url);
      return decided(state);
    });
  }

  /** Sets the payment URL of the caller's organization and mode, in the open transaction; null removes it. */
  async ofOrganization(caller: Caller, url: string | null): Promise<void> {
    if (url !== null) {
      const param = `payment_url.${caller.mode}`;
      requirePaymentUrl(param, url, caller.mode);
      requireTemplate(param, url);
    }
    await this.pages.setOrganizationPaymentUrl(caller, url);
  }
}
