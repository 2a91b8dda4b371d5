import { Injectable } from '@nestjs/common';
import { type Decision, decided } from '../../../shared/decision.js';
import { Captures, type PageKey, Sessions } from './ports.js';

@Injectable()
export class RecordLatePayment {
  constructor(
    private readonly sessions: Sessions,
    private readonly captures: Captures,
  ) {}

  /** The pretend payer's money arrives, even if the session is over by then. */
  async execute({ caller, session }: PageKey): Promise<Decision<null>> {
    return decided(null, ...(await this.captures.record(caller, await this.sessions.get(caller, session))));
  }
}
