import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Decision, decided } from '../../../shared/decision.js';
import type { PageSession } from '../domain/checkout-page.js';
import { requireSecure, requireTemplate } from '../domain/payment-url.js';
import { Pages, Sessions, Shops } from './ports.js';

/** Where customers pay. Each method refuses a URL that cannot be such a place with invalid_param. */
@Injectable()
export class SetPaymentUrl {
  constructor(
    private readonly pages: Pages,
    private readonly sessions: Sessions,
    private readonly shops: Shops,
  ) {}

  /** For one session. Refuses with not_found. */
  async ofSession(caller: Caller, session: string, url: string): Promise<Decision<PageSession>> {
    requireSecure('payment_url', url, caller.mode);
    return decided(await this.sessions.get(caller, session), this.pages.setPaymentUrl(caller, session, url));
  }

  /** For all sessions of the organization and mode; null for none. Refuses with not_found. */
  async ofOrganization(caller: Caller, url: string | null): Promise<Decision<string | null>> {
    await this.shops.name(caller.organization);
    if (url === null) return decided(url, this.pages.removeOrganizationPaymentUrl(caller));
    requireSecure('payment_url', url, caller.mode);
    requireTemplate('payment_url', url);
    return decided(url, this.pages.setOrganizationPaymentUrl(caller, url));
  }
}
