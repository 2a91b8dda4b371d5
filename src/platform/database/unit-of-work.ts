import { Injectable } from '@nestjs/common';
import type { Decision } from '../../shared/decision.js';
import { Refusal, SERVICE_UNAVAILABLE } from '../../shared/errors.js';
import { Database, ownerOf } from './database.js';
import { violates } from './faults.js';
import { composed, type Part, partsOf, valuesOf } from './statement.js';

/** A decision on stale state is repeated on the current state. It fails again only if that state changes meanwhile too. */
const ATTEMPTS = 5;

/** The state changed since it was read. Inside a transaction, this error rolls the transaction back. */
class Stale extends Error {}

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
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const decision = await decide();
      try {
        const { result, parts } = await this.write(decision);
        for (const { committed } of parts) committed?.();
        return result;
      } catch (error) {
        if (!(error instanceof Stale)) throw error;
      }
    }
    throw new Refusal(SERVICE_UNAVAILABLE, 'Too many changes of the same resource at once.');
  }

  private async write<Result>(decision: Decision<Result>): Promise<Written<Result>> {
    if ('decide' in decision) {
      return this.database.run(async () => {
        const { result, writes } = await decision.decide();
        const parts = partsOf(writes);
        await this.inOpenTransaction(parts);
        return { result, parts };
      });
    }
    const parts = partsOf(decision.writes);
    if (parts.some(({ rows }) => rows !== undefined)) {
      await this.database.run(() => this.inOpenTransaction(parts), ownerOf(parts.map(({ values }) => values)));
    } else if (parts.length > 0) await orStale(parts, this.database.autocommit(composed(parts), valuesOf(parts)));
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
