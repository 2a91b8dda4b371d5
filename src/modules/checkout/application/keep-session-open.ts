import { Injectable } from '@nestjs/common';
import type { OwnId } from '../../../shared/own-id.js';
import type { Unit } from '../../../shared/unit.js';
import type { CheckoutSession } from '../domain/checkout-session.js';
import { CheckoutSessions } from './ports.js';

@Injectable()
export class KeepSessionOpen {
  constructor(private readonly sessions: CheckoutSessions) {}

  /**
   * Keeps an open session as it is until the end of the unit. Refuses with not_found or
   * session_not_open.
   */
  async execute(unit: Unit, id: OwnId): Promise<CheckoutSession> {
    const { session } = await this.sessions.lock(unit, id);
    session.requireOpen('id');
    return session;
  }
}
