import { Injectable } from '@nestjs/common';
import { type Decision, decided } from '../../../shared/decision.js';
import { notFound } from '../../../shared/errors.js';
import { Captures, LateCaptures, Pages } from './ports.js';
import { ReadPage } from './read-page.js';

/** What the pretend payer of test mode can be asked for. */
export const PRETENCES = ['pay', 'decline', 'late', 'leave'] as const;
export type Pretence = (typeof PRETENCES)[number];

/** Where the customer comes back to. */
export type Pretended = 'return' | 'declined' | 'page';

@Injectable()
export class PretendToPay {
  constructor(
    private readonly readPage: ReadPage,
    private readonly pages: Pages,
    private readonly captures: Captures,
    private readonly late: LateCaptures,
  ) {}

  /** Does what a payment provider would, through the use cases that the ledger calls. Refuses with not_found. */
  async execute(token: string, pretence: Pretence): Promise<Decision<Pretended>> {
    const page = await this.readPage.execute(token);
    if (page.placeToPay !== 'pretend') throw notFound('token');
    if (!page.isPayable) return decided('page');
    const { caller, session } = page.facts;
    switch (pretence) {
      case 'pay':
        return decided('return', ...(await this.captures.record(caller, session)));
      case 'late':
        this.late.expect({ caller, session: session.id });
        return decided('return');
      case 'decline':
        return decided('declined', this.pages.stop(caller, session.id));
      case 'leave':
        return decided('page', this.pages.stop(caller, session.id));
    }
  }
}
