import { Injectable } from '@nestjs/common';
import { CallbackUrls } from '../../../shared/callback-urls.js';
import { Stale, type Unit } from '../../../shared/unit.js';
import { CheckoutSession, referenceInUse } from '../domain/checkout-session.js';
import type { NewCheckoutSession } from '../domain/session-terms.js';
import { CheckoutSessions, SessionEvents } from './ports.js';

@Injectable()
export class OpenCheckoutSession {
  constructor(
    private readonly sessions: CheckoutSessions,
    private readonly events: SessionEvents,
    private readonly callbackUrls: CallbackUrls,
  ) {}

  /**
   * Opens a session. Refuses as CheckoutSession.open does, and where references are unique with
   * reference_in_use.
   */
  async execute(
    unit: Unit,
    input: NewCheckoutSession,
    needsUniqueReference = false,
  ): Promise<CheckoutSession> {
    const opened = CheckoutSession.open(input, unit.mode, unit, this.callbackUrls);
    const session = needsUniqueReference ? opened.withUniqueReference() : opened;
    const { uniqueReference } = session.state;
    if (uniqueReference !== null) await this.requireFree(unit, uniqueReference);
    this.sessions.add(unit, session);
    this.events.record(unit, 'checkout.session.created', session);
    return session;
  }

  /**
   * Refuses a reference that a session has which is open or complete. A unique key decides between
   * requests at the same time. It counts overdue sessions as open, so they are stored as expired
   * first.
   */
  private async requireFree(unit: Unit, reference: string): Promise<void> {
    const found = await this.sessions.withReference(unit, reference);
    const holder = found.find(({ status }) => status !== 'expired');
    if (holder) throw referenceInUse(holder);
    if (found.length === 0) return;
    const expired = await this.sessions.expireWithReference(unit, reference);
    // A session that was overdue may have been paid, postponed or expired meanwhile.
    if (expired.length !== found.length) throw new Stale();
    for (const session of expired) this.events.record(unit, 'checkout.session.expired', session);
  }
}
