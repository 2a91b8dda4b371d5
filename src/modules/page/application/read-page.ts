import { Injectable } from '@nestjs/common';
import { CallerClock } from '../../../shared/clock.js';
import { notFound } from '../../../shared/errors.js';
import { CheckoutPage } from '../domain/checkout-page.js';
import { Acknowledgements, Pages, PageTokens, Sessions, Shops } from './ports.js';

@Injectable()
export class ReadPage {
  constructor(
    private readonly tokens: PageTokens,
    private readonly sessions: Sessions,
    private readonly shops: Shops,
    private readonly pages: Pages,
    private readonly acknowledgements: Acknowledgements,
    private readonly clock: CallerClock,
  ) {}

  /** The page in its current state. Refuses with not_found. A wrong token costs no database read. */
  async execute(token: string): Promise<CheckoutPage> {
    const key = this.tokens.read(token);
    if (!key) throw notFound('token');
    const { caller } = key;
    const [session, shop, stored] = await Promise.all([
      this.sessions.get(caller, key.session),
      this.shops.name(caller.organization),
      this.pages.find(caller, key.session),
    ]);
    const isComplete = session.status === 'complete';
    const unacknowledgedSince = isComplete ? await this.acknowledgements.awaitedSince(caller, session.id) : undefined;
    return new CheckoutPage({ caller, session, shop, ...stored, unacknowledgedSince }, this.clock.at(caller).now);
  }

  /** The origins whose pages may show this page in a frame. */
  async framers({ facts }: CheckoutPage): Promise<readonly string[]> {
    return this.shops.origins(facts.caller);
  }
}
