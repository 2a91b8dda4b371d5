import { Injectable } from '@nestjs/common';
import type { Decision } from '../../shared/decision.js';
import { Database } from './database.js';
import { violates } from './faults.js';
import { retried, Stale } from './retries.js';
import { composed, composedForAll, flat, namesOf, type Part, partsOf, valuesOf } from './statement.js';
import { valuesOfAll, Writes } from './writes.js';

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
  private readonly writes: Writes;

  constructor(private readonly database: Database) {
    this.writes = new Writes(database);
  }

  /** Writes everything that was decided, or nothing. Decides again if the state changed; refuses with service_unavailable after five attempts. */
  async commit<Result>(decide: () => Promise<Decision<Result>>): Promise<Result> {
    const { result, parts } = await retried('stale', async () => this.write(await decide()));
    for (const { committed } of parts) committed?.();
    return result;
  }

  private async write<Result>(decision: Decision<Result>): Promise<Written<Result>> {
    if ('decide' in decision) {
      return this.database.run(decision.owner, async () => {
        const { result, writes } = await decision.decide();
        return { result, parts: await this.inOpenTransaction(await partsOf(writes)) };
      });
    }
    const writes = await partsOf(decision.writes);
    const parts = flat(writes);
    const [first] = parts;
    if (parts.some(({ rows }) => rows !== undefined)) {
      await this.database.run((first as Part).owner, () => this.inOpenTransaction(writes));
    } else if (first) {
      await orStale(parts, this.writes.add(parts));
    }
    return { result: decision.result, parts };
  }

  /** A part with a row count runs first and alone, because PostgreSQL counts only the rows of a statement's main part. */
  private async inOpenTransaction(writes: readonly (readonly Part[])[]): Promise<readonly Part[]> {
    for (const part of flat(writes)) {
      if (part.rows !== undefined && (await this.sent([part])) !== part.rows) throw new Stale();
    }
    const uncounted = writes.map((parts) => parts.filter(({ rows }) => rows === undefined));
    const others = uncounted.filter(({ length }) => length > 0);
    const isOfOneKind = new Set(others.map(namesOf)).size === 1;
    if (others.length > 1 && isOfOneKind) await this.sendKind(others);
    else if (others.length > 0) await this.sent(flat(others));
    return flat(writes);
  }

  /** Several writes of one kind, such as the events of all sessions that expired. */
  private async sendKind(writes: readonly (readonly Part[])[]): Promise<void> {
    const [first] = writes as [readonly Part[]];
    if (this.database.isDistributed || first.some(({ all }) => !all))
      for (const parts of writes) await this.sent(parts);
    else await this.database.write(composedForAll(first), valuesOfAll(writes));
  }

  private sent(parts: readonly Part[]): Promise<number> {
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
