import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { type Decision, decided } from '../../../shared/decision.js';
import { notFound } from '../../../shared/errors.js';
import { Captures, LatePayments, Pages } from './ports.js';
import { ReadPage } from './read-page.js';

/** The outcomes that a developer can choose at test mode's pretend payment provider. */
export const PRETENCES = ['pay', 'decline', 'late', 'leave'] as const;
export type Pretence = (typeof PRETENCES)[number];

/** Long enough to see that the page waits. */
const LATE_MS = 5_000;

/** Where the customer is sent next. */
export type Pretended = 'return' | 'declined' | 'page';

@Injectable()
export class PretendToPay {
  constructor(
    private readonly readPage: ReadPage,
    private readonly pages: Pages,
    private readonly captures: Captures,
    private readonly latePayments: LatePayments,
    private readonly clock: Clock,
  ) {}

  /** Simulates a payment provider by the use cases that the ledger calls. Refuses with not_found. */
  async execute(token: string, pretence: Pretence): Promise<Decision<Pretended>> {
    const page = await this.readPage.execute(token);
    if (page.placeToPay !== 'pretend') throw notFound('token');
    if (!page.isPayable) return decided('page');
    const { caller, session } = page.facts;
    switch (pretence) {
      case 'pay':
        return decided('return', ...(await this.captures.record(caller, session)));
      case 'late':
        return decided('return', this.latePayments.expect({ caller, session: session.id }, this.clock.now() + LATE_MS));
      case 'decline':
        return decided('declined', this.pages.stop(caller, session.id));
      case 'leave':
        return decided('page', this.pages.stop(caller, session.id));
    }
  }
}
