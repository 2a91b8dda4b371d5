import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { notFound } from '../../../shared/errors.js';
import type { OwnId } from '../../../shared/own-id.js';
import { Organizations } from '../../access/index.js';
import { CheckoutSessionQueries, PageLinks } from '../../checkout/index.js';
import { Payments } from '../../payments/index.js';
import { EventDeliveries } from '../../webhooks/index.js';
import { CheckoutPage, MAX_LINES, type RecordedPayment } from './checkout-page.js';
import { Pages } from './ports.js';

/** The limit is higher than the number of payments that a session ever has. */
const ALL = { limit: 100, from: undefined, to: undefined, cursor: undefined };

@Injectable()
export class ReadPage {
  constructor(
    private readonly links: PageLinks,
    private readonly sessions: CheckoutSessionQueries,
    private readonly organizations: Organizations,
    private readonly pages: Pages,
    private readonly payments: Payments,
    private readonly deliveries: EventDeliveries,
    private readonly clock: CallerClock,
  ) {}

  /** Returns the caller that the page belongs to. Refuses with not_found. */
  callerOf(token: string): Caller {
    const link = this.links.read(token);
    if (!link) throw notFound('token');
    return link.caller;
  }

  /**
   * Returns the page in its current state. Refuses with not_found. A wrong token costs no database
   * read.
   */
  async execute(token: string): Promise<CheckoutPage> {
    const link = this.links.read(token);
    if (!link) throw notFound('token');
    const { caller, url } = link;
    const [session, { settings: details }, { paymentUrl: own, isStarted }, payments] =
      await Promise.all([
        this.sessions.getShort(caller, link.session, MAX_LINES),
        this.organizations.byId(caller.organization),
        this.pages.find(caller, link.session),
        this.paymentsOf(caller, link.session),
      ]);
    const completed = { object: session.id, type: 'checkout.session.completed' };
    const unacknowledgedSince =
      session.status === 'complete'
        ? await this.deliveries.undeliveredSince(caller, completed)
        : undefined;
    const paymentUrl = own ?? details.paymentUrl[caller.mode];
    const shop = { shop: details.name, details, paymentUrl };
    const facts = { caller, session, url, ...shop, isStarted, payments, unacknowledgedSince };
    const { now } = await this.clock.at(caller);
    return new CheckoutPage(facts, now);
  }

  async frameOrigins({ facts }: CheckoutPage): Promise<readonly string[]> {
    return this.organizations.origins(facts.caller);
  }

  private async paymentsOf(caller: Caller, session: OwnId): Promise<readonly RecordedPayment[]> {
    const { items } = await this.payments.list(caller, { checkoutSession: session, ...ALL });
    return items.map(({ state: { id, mismatch, amount, amountRefunded } }) => {
      return { id, isMatching: mismatch === null, isRefunded: amountRefunded === amount };
    });
  }
}
