import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { CallerClock } from '../../../shared/clock.js';
import { type Decision, decided } from '../../../shared/decision.js';
import { WebhookUrls } from '../../../shared/webhook-urls.js';
import { CheckoutSession } from '../domain/checkout-session.js';
import { type NewCheckoutSession } from '../domain/session-terms.js';
import { CheckoutSessions } from './ports.js';

@Injectable()
export class CreateCheckoutSession {
  constructor(
    private readonly sessions: CheckoutSessions,
    private readonly clock: CallerClock,
    private readonly webhookUrls: WebhookUrls,
  ) {}

  async execute(caller: Caller, input: NewCheckoutSession): Promise<Decision<CheckoutSession>> {
    const timed = await this.clock.at(caller);
    const session = CheckoutSession.open(input, caller.mode, timed, this.webhookUrls);
    return decided(
      session,
      this.sessions.add(caller, session),
      this.sessions.record(timed, 'checkout.session.created', session),
    );
  }
}
