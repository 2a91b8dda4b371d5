import { Injectable } from '@nestjs/common';
import type { Decided, Decision } from '../../shared/decision.js';
import { Refusal, SERVICE_UNAVAILABLE } from '../../shared/errors.js';
import { Database } from './database.js';
import { violates } from './faults.js';
import { composed, type Part, partsOf, valuesOf } from './statement.js';

/** Losing a race means that the next look sees the winner's change; only changes in between can make it lose again. */
const ATTEMPTS = 5;

/** What was decided no longer fits the state. Thrown inside a transaction, it also rolls it back. */
class Stale extends Error {}

/**
 * The only way from a decision to the database. A decision that constraints alone can refuse is one prepared statement,
 * atomic without a transaction block; one that counts rows or needs locks is one transaction.
 */
@Injectable()
export class UnitOfWork {
  constructor(private readonly database: Database) {}

  /**
   * Writes all that was decided, or nothing. Decides again when a write finds the state changed; refuses with
   * service_unavailable when that happens too often.
   */
  async commit<Result>(decide: () => Promise<Decision<Result>>): Promise<Result> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const decision = await decide();
      try {
        return await this.write(decision);
      } catch (error) {
        if (!(error instanceof Stale)) throw error;
      }
    }
    throw new Refusal(SERVICE_UNAVAILABLE, 'Too many changes of the same resource at once.');
  }

  private async write<Result>(decision: Decision<Result>): Promise<Result> {
    if (!('decide' in decision)) return this.send(decision);
    return this.database.run(async () => this.send(await decision.decide()));
  }

  private async send<Result>({ result, writes }: Decided<Result>): Promise<Result> {
    const parts = partsOf(writes);
    const guarded = parts.filter(({ rows }) => rows !== undefined);
    const plain = parts.filter(({ rows }) => rows === undefined);
    try {
      if (guarded.length === 0) await this.together(plain);
      else await this.database.run(() => this.guardedFirst(guarded, plain));
    } catch (error) {
      if (parts.some(({ stale = [] }) => stale.some((constraint) => violates(error, constraint)))) throw new Stale();
      throw error;
    }
    return result;
  }

  /** One after the other, because PostgreSQL counts the rows of a statement's main part only. */
  private async guardedFirst(guarded: readonly Part[], plain: readonly Part[]): Promise<void> {
    for (const part of guarded) {
      if ((await this.database.write(composed([part]), part.values)) !== part.rows) throw new Stale();
    }
    await this.together(plain);
  }

  private async together(parts: readonly Part[]): Promise<void> {
    if (parts.length > 0) await this.database.write(composed(parts), valuesOf(parts));
  }
}
