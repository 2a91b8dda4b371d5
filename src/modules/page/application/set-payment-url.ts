import { Injectable } from '@nestjs/common';
import type { OwnId } from '../../../shared/own-id.js';
import type { Unit } from '../../../shared/unit.js';
import { requirePaymentUrl } from '../../access/index.js';
import { type CheckoutSessionState, KeepSessionOpen } from '../../checkout/index.js';
import { Pages } from './ports.js';

@Injectable()
export class SetPaymentUrl {
  constructor(
    private readonly pages: Pages,
    private readonly keepOpen: KeepSessionOpen,
  ) {}

  /**
   * Sets the payment URL of a session. Refuses an unsuitable URL with invalid_param, and a session
   * that is not open with session_not_open.
   */
  async ofSession(unit: Unit, session: OwnId, url: string): Promise<CheckoutSessionState> {
    requirePaymentUrl('payment_url', url, unit.mode);
    const { state } = await this.keepOpen.execute(unit, session);
    this.pages.setPaymentUrl(unit, session, url);
    return state;
  }
}
