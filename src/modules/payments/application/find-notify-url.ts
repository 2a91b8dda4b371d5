import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import type { Payment } from '../domain/payment.js';
import { PaidSessions } from './ports.js';

/** Finds where webhooks about a payment go: to the notify_url of the session that it was captured for, if that has one. */
@Injectable()
export class FindNotifyUrl {
  constructor(private readonly sessions: PaidSessions) {}

  async execute(caller: Caller, { state: { checkoutSession } }: Payment): Promise<string | null> {
    return checkoutSession === null ? null : this.sessions.notifyUrl(caller, checkoutSession);
  }
}
