import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { notFound } from '../../../shared/errors.js';
import type { CheckoutSession } from '../domain/checkout-session.js';
import { CheckoutSessions } from './ports.js';

@Injectable()
export class ReadCheckoutSession {
  constructor(private readonly sessions: CheckoutSessions) {}

  async execute(caller: Caller, id: string): Promise<CheckoutSession> {
    const session = await this.sessions.find(caller, id);
    if (!session) throw notFound('id');
    return session;
  }
}
