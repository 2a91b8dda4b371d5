import { Injectable } from '@nestjs/common';
import { notFound } from '../../../shared/errors.js';
import { ownId } from '../../../shared/own-id.js';
import type { Unit } from '../../../shared/unit.js';
import {
  AwaitPayment,
  CheckoutSessionQueries,
  type CheckoutSessionState,
  CloseCheckoutSession,
} from '../../checkout/index.js';
import { RecordPayment } from '../../payments/index.js';
import type { PlaceToPay } from './checkout-page.js';
import { type DueTransfer, Pages } from './ports.js';
import { ReadPage } from './read-page.js';

/** The customer is sent here next: to the place to pay, or to a part of the page. */
export type NextPlace = NonNullable<PlaceToPay> | 'return' | 'cancel' | 'page';

/** A customer can choose one of these outcomes at test mode's pretend payment provider. */
export const OUTCOMES = ['pay', 'decline', 'transfer', 'leave'] as const;
export type Outcome = (typeof OUTCOMES)[number];

const DAY_MS = 24 * 60 * 60_000;
const ARRIVES_MS = 2 * DAY_MS;
const AWAITED_MS = 7 * DAY_MS;

@Injectable()
export class PayFromPage {
  constructor(
    private readonly readPage: ReadPage,
    private readonly pages: Pages,
    private readonly sessions: CheckoutSessionQueries,
    private readonly closeSession: CloseCheckoutSession,
    private readonly awaitPayment: AwaitPayment,
    private readonly recordPayment: RecordPayment,
  ) {}

  /** Sends the customer to pay, or completes a session whose total is 0. Refuses with not_found. */
  async start(unit: Unit, token: string): Promise<NextPlace> {
    const page = await this.readPage.execute(token);
    const session = ownId(unit, page.facts.session.id);
    if (page.state === 'nothing_to_pay') {
      await this.closeSession.completeFree(unit, session);
      return 'return';
    }
    const { placeToPay: place } = page;
    if (!page.isPayable || place === undefined) return 'page';
    if (!page.facts.isStarted) this.pages.start(unit, session);
    return place;
  }

  /**
   * Simulates a payment provider by the use cases that the ledger calls. Refuses with not_found.
   */
  async pretend(unit: Unit, token: string, outcome: Outcome): Promise<NextPlace> {
    const page = await this.readPage.execute(token);
    if (page.placeToPay !== 'pretend') throw notFound('token');
    if (!page.isPayable || outcome === 'leave') return 'page';
    if (outcome === 'decline') return 'cancel';
    const { session } = page.facts;
    if (outcome === 'pay') await this.pay(unit, session);
    else await this.transfer(unit, session);
    return 'return';
  }

  /**
   * Records the payment of a pretended bank transfer, unless the session was paid or waits no
   * longer.
   */
  async receive(unit: Unit, { session }: DueTransfer): Promise<void> {
    const isTaken = await this.pages.takeTransfer(unit, session);
    const { state } = await this.sessions.get(unit, session);
    const isAwaited = state.status !== 'complete' && state.originalExpiresAt !== null;
    if (isTaken && isAwaited) await this.pay(unit, state);
  }

  /**
   * Pays the session's total, even if it no longer matches the session. A second press of the
   * button does not pay again.
   */
  private async pay(
    unit: Unit,
    { id, amountTotal: amount, currency }: CheckoutSessionState,
  ): Promise<void> {
    const capture = { amount, currency, checkoutSession: id, reference: `pretend_${id}` };
    await this.recordPayment.execute(unit, capture, 'record');
  }

  private async transfer(unit: Unit, { id }: CheckoutSessionState): Promise<void> {
    const session = ownId(unit, id);
    const awaited = { until: Math.floor((unit.now + AWAITED_MS) / 1000), reason: 'bank transfer' };
    await this.awaitPayment.execute(unit, session, awaited);
    this.pages.addTransfer(unit, session, new Date(unit.now + ARRIVES_MS));
  }
}
