import { Injectable } from '@nestjs/common';
import type { Answer, Keep } from '../../../shared/answer.js';
import type { Caller } from '../../../shared/caller.js';
import { Clock } from '../../../shared/clock.js';
import { CheckoutSession, type NewCheckoutSession } from '../domain/checkout-session.js';
import { CheckoutSessions } from './ports.js';

@Injectable()
export class CreateCheckoutSession {
  constructor(
    private readonly sessions: CheckoutSessions,
    private readonly clock: Clock,
  ) {}

  async execute(caller: Caller, input: NewCheckoutSession, keep: Keep<CheckoutSession>): Promise<Answer> {
    const session = CheckoutSession.open(input, caller.mode, this.clock.now());
    const kept = keep(session);
    await this.sessions.add(caller, session, kept);
    return kept.answer;
  }
}
