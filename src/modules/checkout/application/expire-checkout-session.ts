import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { notFound } from '../../../shared/errors.js';
import { Transaction } from '../../../shared/transaction.js';
import { type CheckoutSession, sessionNotOpen } from '../domain/checkout-session.js';
import { CheckoutSessions } from './ports.js';

@Injectable()
export class ExpireCheckoutSession {
  constructor(
    private readonly sessions: CheckoutSessions,
    private readonly transaction: Transaction,
  ) {}

  /** Ends an open session of the caller's mode. Refuses with not_found or session_not_open. */
  async execute(caller: Caller, id: string): Promise<CheckoutSession> {
    return this.transaction.run(async () => {
      const session = await this.sessions.lock(caller, id);
      if (!session) throw notFound('id');
      const expired = session.expire();
      // Locked and open: only its time can have run out since.
      if (!(await this.sessions.settle(caller, expired))) throw sessionNotOpen(id, 'expired', 'id');
      return expired;
    });
  }
}
