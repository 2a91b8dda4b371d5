import { Injectable } from '@nestjs/common';
import { type Decision, decided, type Write } from '../../../shared/decision.js';
import { Refusal } from '../../../shared/errors.js';
import { Captures, LatePayments, type PageKey, Sessions } from './ports.js';

@Injectable()
export class RecordLatePayment {
  constructor(
    private readonly sessions: Sessions,
    private readonly captures: Captures,
    private readonly latePayments: LatePayments,
  ) {}

  /** Records the payment even if the session has expired meanwhile. A payment that is refused would always be: it is removed. */
  async execute(key: PageKey): Promise<Decision<null>> {
    return decided(null, ...(await this.captured(key)), this.latePayments.remove(key));
  }

  private async captured({ caller, session }: PageKey): Promise<readonly Write[]> {
    try {
      return await this.captures.record(caller, (await this.sessions.get(caller, session)).state);
    } catch (error) {
      if (error instanceof Refusal && error.kind !== 'unavailable') return [];
      throw error;
    }
  }
}
