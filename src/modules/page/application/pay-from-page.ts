import { Injectable } from '@nestjs/common';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { ownId } from '../../../shared/own-id.js';
import { ChangeCheckoutSession } from '../../checkout/index.js';
import type { PlaceToPay } from '../domain/checkout-page.js';
import { Pages } from './ports.js';
import { ReadPage } from './read-page.js';

/** Where the customer is sent next: to the place to pay, or to a part of the page. */
export type NextPlace = NonNullable<PlaceToPay> | 'return' | 'cancel' | 'page';

@Injectable()
export class PayFromPage {
  constructor(
    private readonly readPage: ReadPage,
    private readonly pages: Pages,
    private readonly changeSession: ChangeCheckoutSession,
  ) {}

  /** Sends the customer to pay, or completes a session whose total is 0. Refuses with not_found. */
  async execute(token: string): Promise<Decision<NextPlace>> {
    const page = await this.readPage.execute(token);
    const { caller, session } = page.facts;
    if (page.state === 'nothing_to_pay') {
      return decided('return', ...(await this.changeSession.completeFree(caller, ownId(caller, session.id))).writes);
    }
    const { placeToPay: place } = page;
    if (!page.isPayable || place === undefined) return decided('page');
    if (page.facts.isStarted) return decided(place);
    return inTransaction(caller, async () => {
      await this.pages.start(caller, session.id);
      return decided(place);
    });
  }
}
