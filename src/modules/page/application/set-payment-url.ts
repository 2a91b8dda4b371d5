import { Injectable } from '@nestjs/common';
import type { OwnId } from '../../../shared/own-id.js';
import type { Unit } from '../../../shared/unit.js';
import { requirePaymentUrl } from '../../access/index.js';
import { CheckoutSessionQueries, type CheckoutSessionState } from '../../checkout/index.js';
import { Pages } from './ports.js';

@Injectable()
export class SetPaymentUrl {
  constructor(
    private readonly pages: Pages,
    private readonly sessions: CheckoutSessionQueries,
  ) {}

  /** Refuses an unsuitable URL with invalid_param. */
  async ofSession(unit: Unit, session: OwnId, url: string): Promise<CheckoutSessionState> {
    requirePaymentUrl('payment_url', url, unit.mode);
    const { state } = await this.sessions.get(unit, session);
    this.pages.setPaymentUrl(unit, session, url);
    return state;
  }
}
