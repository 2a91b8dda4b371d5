import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { type Decision, decided, inTransaction, type Write } from '../../../shared/decision.js';
import { notFound } from '../../../shared/errors.js';
import { ownId } from '../../../shared/own-id.js';
import { ChangeCheckoutSession, CheckoutSessionQueries, type CheckoutSessionState } from '../../checkout/index.js';
import { RecordPayment } from '../../payments/index.js';
import type { PlaceToPay } from './checkout-page.js';
import { type DueTransfer, Pages } from './ports.js';
import { ReadPage } from './read-page.js';

/** Where the customer is sent next: to the place to pay, or to a part of the page. */
export type NextPlace = NonNullable<PlaceToPay> | 'return' | 'cancel' | 'page';

/** What a customer can choose at test mode's pretend payment provider. */
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
    private readonly changeSession: ChangeCheckoutSession,
    private readonly recordPayment: RecordPayment,
    private readonly clock: CallerClock,
  ) {}

  /** Sends the customer to pay, or completes a session whose total is 0. Refuses with not_found. */
  async start(token: string): Promise<Decision<NextPlace>> {
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

  /** Simulates a payment provider by the use cases that the ledger calls. Refuses with not_found. */
  async pretend(token: string, outcome: Outcome): Promise<Decision<NextPlace>> {
    const page = await this.readPage.execute(token);
    if (page.placeToPay !== 'pretend') throw notFound('token');
    if (!page.isPayable || outcome === 'leave') return decided('page');
    if (outcome === 'decline') return decided('cancel');
    const { caller, session } = page.facts;
    if (outcome === 'pay') return decided('return', ...(await this.pay(caller, session)));
    return inTransaction(caller, async () => decided('return', ...(await this.transfer(caller, session))));
  }

  /** Records the payment of a pretended bank transfer, unless the session was paid or waits no longer. */
  receive({ caller, session }: DueTransfer): Decision<null> {
    return inTransaction(caller, async () => {
      const isTaken = await this.pages.takeTransfer(caller, session);
      const { state } = await this.sessions.get(caller, session);
      const isAwaited = state.status !== 'complete' && state.originalExpiresAt !== null;
      return decided(null, ...(isTaken && isAwaited ? await this.pay(caller, state) : []));
    });
  }

  /** Pays the session's total, even if that no longer fits. Pressing the button twice pays once. */
  private async pay(
    caller: Caller,
    { id, amountTotal: amount, currency }: CheckoutSessionState,
  ): Promise<readonly Write[]> {
    const capture = { amount, currency, checkoutSession: id, reference: `pretend_${id}` };
    return (await this.recordPayment.execute(caller, capture, 'record')).writes;
  }

  private async transfer(caller: Caller, { id }: CheckoutSessionState): Promise<readonly Write[]> {
    const session = ownId(caller, id);
    const { now } = await this.clock.at(caller);
    const awaited = { until: Math.floor((now + AWAITED_MS) / 1000), reason: 'bank transfer' };
    const { writes } = await this.changeSession.awaitPayment(caller, session, awaited).decide();
    await this.pages.addTransfer(caller, session, new Date(now + ARRIVES_MS));
    return writes;
  }
}
