import { Injectable } from '@nestjs/common';
import { type Decision, decided } from '../../../shared/decision.js';
import { Captures, LatePayments, type PageKey, Sessions } from './ports.js';

@Injectable()
export class RecordLatePayment {
  constructor(
    private readonly sessions: Sessions,
    private readonly captures: Captures,
    private readonly latePayments: LatePayments,
  ) {}

  /** Records the payment even if the session has expired meanwhile. */
  async execute(key: PageKey): Promise<Decision<null>> {
    const session = await this.sessions.get(key.caller, key.session);
    return decided(null, ...(await this.captures.record(key.caller, session)), this.latePayments.remove(key));
  }
}
