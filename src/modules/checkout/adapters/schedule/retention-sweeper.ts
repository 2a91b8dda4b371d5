import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import { sweep } from '../../../../persistence/sweep.js';
import { Jobs } from '../../../../platform/jobs.js';
import { type Caller, MODES } from '../../../../shared/caller.js';
import { decided, inTransaction } from '../../../../shared/decision.js';
import { Organizations } from '../../../access/index.js';
import { ChangeCheckoutSession } from '../../application/change-checkout-session.js';
import { type ClosedSession, OldSessions, SessionDetails } from '../../application/ports.js';

const INTERVAL_MS = 60_000;
/** So that a batch holds its locks for a few milliseconds. */
const BATCH = 50;

/** Forgets sessions after the days that their organization keeps details: removes those that nobody paid, and redacts the others. */
@Injectable()
export class RetentionSweeper extends OldSessions implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly details: SessionDetails,
    private readonly changeSession: ChangeCheckoutSession,
    private readonly organizations: Organizations,
    private readonly jobs: Jobs,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.jobs.repeat('forget_sessions', INTERVAL_MS, () => this.sweepAll());
  }

  async sweepAll(): Promise<void> {
    const faults: unknown[] = [];
    for (const { id: organization } of await this.organizations.forgetting())
      for (const mode of MODES) await this.sweep({ organization, mode }).catch((error: unknown) => faults.push(error));
    if (faults.length > 0) throw faults[0];
  }

  async sweep(caller: Caller, forMs = Number.POSITIVE_INFINITY): Promise<void> {
    const { detailsRetentionDays: days } = (await this.organizations.byId(caller.organization)).settings;
    if (days === null) return;
    const end = performance.now() + forMs;
    await sweep<ClosedSession>({
      limit: BATCH,
      find: async (most, after) =>
        performance.now() < end ? this.details.closed(caller, { days, limit: most, after }) : [],
      handle: (closed) => this.forget(caller, closed),
    });
  }

  private async forget(caller: Caller, closed: readonly ClosedSession[]): Promise<void> {
    const expired = closed.filter(({ isExpired }) => isExpired).map(({ id }) => id);
    const remove = async () => decided(await this.details.remove(caller, expired));
    const paid = await this.database.commit(async () => inTransaction(caller, remove));
    for (const { id, isExpired } of closed) {
      if (!isExpired || paid.includes(id))
        await this.database.commit(async () => this.changeSession.redact(caller, id));
    }
  }
}
