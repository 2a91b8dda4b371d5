import { Injectable } from '@nestjs/common';
import type { Decision } from '../../shared/decision.js';
import { Database } from './database.js';
import { violates } from './faults.js';
import { retried, Stale } from './retries.js';
import { composed, type Part, partsOf, valuesOf } from './statement.js';

interface Written<Result> {
  readonly result: Result;
  readonly parts: readonly Part[];
}

/**
 * The only way from a decision to the database. A decision that constraints alone can refuse is one prepared statement,
 * atomic without a transaction block; one that counts rows or needs locks is one transaction.
 */
@Injectable()
export class UnitOfWork {
  constructor(private readonly database: Database) {}

  /**
   * Writes everything that was decided, or nothing. Decides again if the state changed since it was read. Refuses with
   * service_unavailable after five attempts.
   */
  async commit<Result>(decide: () => Promise<Decision<Result>>): Promise<Result> {
    const { result, parts } = await retried('stale', async () => this.write(await decide()));
    for (const { committed } of parts) committed?.();
    return result;
  }

  private async write<Result>(decision: Decision<Result>): Promise<Written<Result>> {
    if ('decide' in decision) {
      return this.database.run(decision.owner, async () => {
        const { result, writes } = await decision.decide();
        const parts = await partsOf(writes);
        await this.inOpenTransaction(parts);
        return { result, parts };
      });
    }
    const parts = await partsOf(decision.writes);
    const [first] = parts;
    if (parts.some(({ rows }) => rows !== undefined)) {
      await this.database.run((first as Part).owner, () => this.inOpenTransaction(parts));
    } else if (first) {
      await orStale(parts, this.database.autocommit(first.owner, composed(parts), valuesOf(parts)));
    }
    return { result: decision.result, parts };
  }

  /** A part with a row count runs first and alone, because PostgreSQL counts only the rows of a statement's main part. */
  private async inOpenTransaction(parts: readonly Part[]): Promise<void> {
    const others: Part[] = [];
    for (const part of parts) {
      if (part.rows === undefined) others.push(part);
      else if ((await this.send([part])) !== part.rows) throw new Stale();
    }
    if (others.length > 0) await this.send(others);
  }

  private send(parts: readonly Part[]): Promise<number> {
    return orStale(parts, this.database.write(composed(parts), valuesOf(parts)));
  }
}

async function orStale<Outcome>(parts: readonly Part[], sent: Promise<Outcome>): Promise<Outcome> {
  try {
    return await sent;
  } catch (error) {
    const isStale = parts.some(({ stale = [] }) => stale.some((constraint) => violates(error, constraint)));
    throw isStale ? new Stale() : error;
  }
}
