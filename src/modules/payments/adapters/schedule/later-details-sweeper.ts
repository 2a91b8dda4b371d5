import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { sweep } from '../../../../persistence/sweep.js';
import { Jobs } from '../../../../platform/jobs.js';
import type { Caller } from '../../../../shared/caller.js';
import { Organizations } from '../../../access/index.js';
import { LaterDetails } from '../../application/ports.js';

const EVERY_MS = 10_000;
/** This applies to organizations that have not set how long they keep details. */
const DEFAULT_DAYS = 30;
const LIMIT = 100;
/** A request waits for the work of a clock that was just moved. The job does the rest, if any. */
const LONGEST_FOR_CLOCK_MS = 5_000;

/**
 * Forgets what was written about payments since their redaction, and the rest of payments that have
 * very many refunds.
 */
@Injectable()
export class LaterDetailsSweeper implements OnApplicationBootstrap {
  constructor(
    private readonly laterDetails: LaterDetails,
    private readonly organizations: Organizations,
    private readonly jobs: Jobs,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.sweep('forget_later_details', EVERY_MS, (clock) =>
      clock ? this.forget(clock, AbortSignal.timeout(LONGEST_FOR_CLOCK_MS)) : this.forgetAll(),
    );
  }

  async forgetAll(): Promise<void> {
    const faults: unknown[] = [];
    for (const caller of await this.laterDetails.owners())
      await this.forget(caller, this.jobs.stopping).catch((error: unknown) => faults.push(error));
    if (faults.length > 0) throw faults[0];
  }

  /** Ends early, without a fault, when the signal is aborted. */
  async forget(caller: Caller, signal: AbortSignal): Promise<void> {
    const { settings } = await this.organizations.byId(caller.organization);
    await this.laterDetails.begin(caller, settings.detailsRetentionDays ?? DEFAULT_DAYS);
    const sweeping = sweep<string>({
      limit: LIMIT,
      find: async (limit, after) =>
        signal.aborted ? [] : this.laterDetails.unfinished(caller, limit, after),
      handle: async (payments) => {
        for (const payment of payments) await this.laterDetails.forget(caller, payment, signal);
      },
    });
    await sweeping.catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}
