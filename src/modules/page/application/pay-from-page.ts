import { Injectable } from '@nestjs/common';
import { type Decision, decided, inTransaction } from '../../../shared/decision.js';
import { notFound } from '../../../shared/errors.js';
import { ownId } from '../../../shared/own-id.js';
import { CloseCheckoutSession } from '../../checkout/index.js';
import type { PlaceToPay } from '../domain/checkout-page.js';
import { BankTransfers } from './bank-transfers.js';
import { Captures } from './captures.js';
import { Pages } from './ports.js';
import { ReadPage } from './read-page.js';

/** Where the customer is sent next: to the place to pay, or to a part of the page. */
export type NextPlace = NonNullable<PlaceToPay> | 'return' | 'cancel' | 'page';

export const OUTCOMES = ['pay', 'decline', 'transfer', 'leave'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Each method refuses with not_found. */
@Injectable()
export class PayFromPage {
  constructor(
    private readonly readPage: ReadPage,
    private readonly pages: Pages,
    private readonly closeSession: CloseCheckoutSession,
    private readonly captures: Captures,
    private readonly transfers: BankTransfers,
  ) {}

  /** Sends the customer to pay, or completes a session whose total is 0. */
  async start(token: string): Promise<Decision<NextPlace>> {
    const page = await this.readPage.execute(token);
    const { caller, session } = page.facts;
    if (page.state === 'nothing_to_pay') {
      return decided('return', ...(await this.closeSession.completeFree(caller, ownId(caller, session.id))).writes);
    }
    const { placeToPay: place } = page;
    if (!page.isPayable || place === undefined) return decided('page');
    if (page.facts.isStarted) return decided(place);
    return inTransaction(caller, async () => {
      await this.pages.start(caller, session.id);
      return decided(place);
    });
  }

  /** Simulates a payment provider by the use cases that the ledger calls. */
  async pretend(token: string, outcome: Outcome): Promise<Decision<NextPlace>> {
    const page = await this.readPage.execute(token);
    if (page.placeToPay !== 'pretend') throw notFound('token');
    if (!page.isPayable || outcome === 'leave') return decided('page');
    if (outcome === 'decline') return decided('cancel');
    const { caller, session } = page.facts;
    if (outcome === 'pay') return decided('return', ...(await this.captures.record(caller, session)));
    const id = ownId(caller, session.id);
    return inTransaction(caller, async () => decided('return', ...(await this.transfers.begin(caller, id))));
  }
}
