import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import type { Payment } from '../domain/payment.js';
import { PaidSessions } from './ports.js';

/** Finds the URL to which webhooks about a payment are sent: the notify_url of its checkout session, if any. */
@Injectable()
export class FindNotifyUrl {
  constructor(private readonly sessions: PaidSessions) {}

  async execute(caller: Caller, { state: { checkoutSession } }: Payment): Promise<string | null> {
    return checkoutSession === null ? null : this.sessions.notifyUrl(caller, checkoutSession);
  }
}
