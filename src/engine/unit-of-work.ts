import { orStale, retried, Stale } from '../platform/retries.js';
import type { Decided, Decision, Write } from '../shared/decision.js';
import type { Part } from './form.js';
import { composed, flat } from './statement.js';
import { type Sender, Writes } from './writes.js';

/**
 * The only way from a decision to the database. A decision that constraints alone can refuse is one prepared statement,
 * atomic without a transaction block; one that counts rows or needs locks is one transaction.
 */
export class UnitOfWork {
  private readonly writes: Writes;

  constructor(private readonly sender: Sender) {
    this.writes = new Writes(sender);
  }

  /** Writes everything that was decided, or nothing. Decides again if the state changed; refuses with service_unavailable after five attempts. */
  async commit<Result>(decide: () => Promise<Decision<Result>>): Promise<Result> {
    const { result, writes } = await retried('stale', async () => this.write(await decide()));
    for (const { committed } of writes) committed?.();
    return result;
  }

  private async write<Result>(decision: Decision<Result>): Promise<Decided<Result>> {
    if ('decide' in decision) {
      return this.sender.run(decision.owner, async () => {
        const decided = await decision.decide();
        await this.inOpenTransaction(this.partsOf(decided.writes));
        return decided;
      });
    }
    const parts = this.partsOf(decision.writes);
    const [first] = parts;
    if (first && parts.some(isAlone)) {
      await this.sender.run(first.owner, () => this.inOpenTransaction(parts));
    } else if (first) {
      await orStale(this.writes.add(parts), ...stalesOf(parts));
    }
    return decision;
  }

  /** Citus returns no counts of other parts: there, each of these parts runs alone, and PostgreSQL tells how many rows it changed. */
  private partsOf(writes: readonly Write[]): readonly Part[] {
    const parts = writes.filter((write): write is Part => 'sql' in write);
    if (!this.sender.isDistributed) return parts;
    return parts.map((part) => (typeof part.sql !== 'string' && part.sql.isChange ? { ...part, rows: 1 } : part));
  }

  /** What is sent alone goes first, because PostgreSQL counts only the rows of a statement's main part. On Citus, no rows go together. */
  private async inOpenTransaction(parts: readonly Part[]): Promise<void> {
    for (const part of parts.filter(isAlone)) {
      const changed = await this.sent([part]);
      if (part.rows !== undefined && changed !== part.rows) throw new Stale();
    }
    const others = parts.filter((part) => !isAlone(part));
    if (this.sender.isDistributed) for (const part of others) await this.sent([part]);
    else if (others.length > 0) await this.sent(others);
  }

  private async sent(parts: readonly Part[]): Promise<number> {
    const { owner } = parts[0] as Part;
    const outcome = await orStale(this.sender.autocommit(owner, ...composed(parts)), ...stalesOf(parts));
    return outcome.rowCount;
  }
}

function isAlone({ sql, rows }: Part): boolean {
  return typeof sql === 'string' || rows !== undefined;
}

const stalesOf = (parts: readonly Part[]) => flat(parts.map(({ stale = [] }) => stale));
