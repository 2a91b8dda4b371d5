import { Injectable } from '@nestjs/common';
import type { Caller, Owner } from '../shared/caller.js';
import { CallerClock, Clock } from '../shared/clock.js';
import type { Work } from '../shared/unit.js';
import { Database } from './database.js';
import { retried } from './retries.js';
import { OpenUnit } from './unit-of-work.js';

/** Opens units of work, and commits them. */
@Injectable()
export class Units {
  constructor(
    private readonly database: Database,
    private readonly callerClock: CallerClock,
    private readonly clock: Clock,
  ) {}

  /**
   * Commits all that the use case adds to its unit, or nothing. Runs it again, with a new unit, if the state has changed since it
   * was read, or if PostgreSQL ended its transaction for another one's sake. Refuses with service_unavailable after five times.
   */
  async commit<Of extends Owner, Result>(
    owner: Of,
    use: (unit: Of & Work) => Promise<Result>,
  ): Promise<Result> {
    return retried('stale', () => retried('conflict', () => this.attempt(owner, use)));
  }

  private async attempt<Of extends Owner, Result>(
    owner: Of,
    use: (unit: Of & Work) => Promise<Result>,
  ) {
    const ahead =
      'organization' in owner ? (await this.callerClock.at(owner as unknown as Caller)).ahead : 0;
    const unit = new OpenUnit(owner, ahead, this.clock);
    const result = await this.database.committed(unit, () => use(unit as unknown as Of & Work));
    for (const effect of unit.effects) effect();
    return result;
  }
}
