import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import { type Page, pageOf } from '../../../shared/page.js';
import type { CheckoutSessionSummary } from '../domain/checkout-session.js';
import { type CheckoutSessionFilter, CheckoutSessions } from './ports.js';

@Injectable()
export class ListCheckoutSessions {
  constructor(private readonly sessions: CheckoutSessions) {}

  async execute(caller: Caller, filter: CheckoutSessionFilter): Promise<Page<CheckoutSessionSummary>> {
    return pageOf(await this.sessions.list(caller, filter), filter.limit);
  }
}
