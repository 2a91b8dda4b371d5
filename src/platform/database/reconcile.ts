import { Injectable } from '@nestjs/common';
import type { Mode } from '../../shared/caller.js';
import { FIRST_UUID, firstUuidAt, idOf } from '../../shared/id.js';
import { facts, type Invariant } from '../facts.js';
import { Database } from './database.js';

interface Check {
  readonly promise: string;
  readonly checked: number;
  readonly offenders: readonly string[];
}

/** Enough to see what is wrong; a broken book of millions would not help more. */
const MAX_OFFENDERS = 100;
const ALL = '/* every organization: the books of all must balance */';

/** Proves on all organizations' rows what the modules promise of them. */
@Injectable()
export class Reconcile {
  constructor(private readonly database: Database) {}

  /**
   * Of all rows, or of what was made since an instant (milliseconds). One snapshot for all: a refund between two looks would
   * seem a difference. On one core, to leave the service the others. A standby will do.
   */
  async execute({ since }: { since?: number | undefined } = {}): Promise<{ checks: Check[]; isBalanced: boolean }> {
    const first = since === undefined ? FIRST_UUID : firstUuidAt(since);
    const checks = await this.database.run(async () => {
      await this.database.manager.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      await this.database.manager.query('SET LOCAL statement_timeout = 0');
      await this.database.manager.query('SET LOCAL max_parallel_workers_per_gather = 0');
      const made: Check[] = [];
      for (const invariant of facts.invariants) made.push(await this.check(invariant, first));
      return made;
    });
    return { checks, isBalanced: checks.every(({ offenders }) => offenders.length === 0) };
  }

  private async check({ promise, id: kind, book, joined = '', broken }: Invariant, first: string): Promise<Check> {
    const [{ checked } = { checked: 0 }]: { checked: number }[] = await this.database.manager.query(
      `${ALL} SELECT count(*) AS checked FROM ${book} book WHERE book.id >= $1`,
      [first],
    );
    const rows: { id: string; mode: Mode }[] = await this.database.manager.query(
      `${ALL} SELECT book.id, book.mode FROM ${book} book ${joined} WHERE book.id >= $1 AND (${broken})
        ORDER BY book.id LIMIT ${MAX_OFFENDERS}`,
      [first],
    );
    return { promise, checked, offenders: rows.map(({ id, mode }) => idOf(kind, id, mode)) };
  }
}
