import { Injectable } from '@nestjs/common';
import type { Caller, Owner } from '../shared/caller.js';
import { CallerClock, Clock } from '../shared/clock.js';
import type { Author, Work } from '../shared/unit.js';
import { Database } from './database.js';
import { retried } from './retries.js';
import { OpenUnit, opened } from './unit-of-work.js';

/** Opens units of work, and commits them. */
@Injectable()
export class Units {
  constructor(
    private readonly database: Database,
    private readonly callerClock: CallerClock,
    private readonly clock: Clock,
  ) {}

  /**
   * Commits all that the use case adds to its unit, or nothing. Runs it again, with a new unit, if
   * the state has changed since it was read, or if PostgreSQL ended its transaction for the sake of
   * another one. Refuses with service_unavailable after five times. `by` is who asked for it.
   */
  async commit<Of extends Owner, Result>(
    owner: Of,
    use: (unit: Of & Work) => Promise<Result>,
    by?: Author,
  ): Promise<Result> {
    return retried('stale', () => retried('conflict', () => this.attempt(owner, use, by)));
  }

  /**
   * Returns the same unit for another owner, whose clock was not moved. What both add is committed
   * together.
   */
  as<Of extends Owner>(unit: Work, owner: Of): Of & Work {
    return opened(unit).as(owner) as unknown as Of & Work;
  }

  private async attempt<Of extends Owner, Result>(
    owner: Of,
    use: (unit: Of & Work) => Promise<Result>,
    by: Author | undefined,
  ): Promise<Result> {
    const unit = new OpenUnit(owner, await this.aheadOf(owner), this.clock, by);
    const result = await this.committed(unit, () => use(unit as unknown as Of & Work));
    for (const effect of unit.gathered.effects) effect();
    return result;
  }

  private async committed<Result>(unit: OpenUnit, use: () => Promise<Result>): Promise<Result> {
    try {
      const result = await use();
      await this.database.units.commit(unit);
      return result;
    } catch (error) {
      await this.database.units.rollback(unit);
      throw error;
    }
  }

  /**
   * Reads the clock before the use case runs, so that no clock is read while a transaction holds a
   * connection.
   */
  private async aheadOf(owner: Owner): Promise<number> {
    return 'organization' in owner ? (await this.callerClock.at(owner as Caller)).ahead : 0;
  }
}
