import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { type Decision, decided } from '../../../shared/decision.js';
import { notFound } from '../../../shared/errors.js';
import { ownId } from '../../../shared/own-id.js';
import { Captures, LatePayments } from './ports.js';
import { ReadPage } from './read-page.js';
import type { NextPlace } from './start-payment.js';

export const OUTCOMES = ['pay', 'decline', 'late', 'leave'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Long enough to see that the page waits. */
const LATE_MS = 5_000;

@Injectable()
export class PretendToPay {
  constructor(
    private readonly readPage: ReadPage,
    private readonly captures: Captures,
    private readonly latePayments: LatePayments,
    private readonly clock: Clock,
  ) {}

  /** Simulates a payment provider by the use cases that the ledger calls. Refuses with not_found. */
  async execute(token: string, outcome: Outcome): Promise<Decision<NextPlace>> {
    const page = await this.readPage.execute(token);
    if (page.placeToPay !== 'pretend') throw notFound('token');
    if (!page.isPayable || outcome === 'leave') return decided('page');
    if (outcome === 'decline') return decided('cancel');
    const { caller, session } = page.facts;
    const write = this.latePayments.expect({ caller, session: ownId(caller, session.id) }, this.clock.now() + LATE_MS);
    return decided('return', ...(outcome === 'late' ? [write] : await this.captures.record(caller, session)));
  }
}
