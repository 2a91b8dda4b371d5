import { Injectable } from '@nestjs/common';
import { type Decision, decided } from '../../../shared/decision.js';
import { ownId } from '../../../shared/own-id.js';
import type { PlaceToPay } from '../domain/checkout-page.js';
import { FreeSessions, Pages } from './ports.js';
import { ReadPage } from './read-page.js';

/** Where the customer is sent next: to the place to pay, or to a part of the page. */
export type NextPlace = NonNullable<PlaceToPay> | 'return' | 'cancel' | 'page';

@Injectable()
export class StartPayment {
  constructor(
    private readonly readPage: ReadPage,
    private readonly pages: Pages,
    private readonly sessions: FreeSessions,
  ) {}

  /** Sends the customer to pay, or completes a session whose total is 0. Refuses with not_found. */
  async execute(token: string): Promise<Decision<NextPlace>> {
    const page = await this.readPage.execute(token);
    const { caller, session } = page.facts;
    if (page.state === 'nothing_to_pay') {
      return decided('return', ...(await this.sessions.completeFree(caller, ownId(caller, session.id))).writes);
    }
    const { placeToPay: place } = page;
    if (!page.isPayable || place === undefined) return decided('page');
    return decided(place, ...(page.facts.isStarted ? [] : [this.pages.start(caller, session.id)]));
  }
}
