import { Injectable } from '@nestjs/common';
import type { Mode } from '../../shared/caller.js';
import { idOf } from '../../shared/id.js';
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

  /** One snapshot for all: a refund between two looks would seem a difference. On one core, to leave the service the others. */
  async execute(): Promise<{ checks: Check[]; isBalanced: boolean }> {
    const checks = await this.database.run(async () => {
      await this.database.manager.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      await this.database.manager.query('SET LOCAL statement_timeout = 0');
      await this.database.manager.query('SET LOCAL max_parallel_workers_per_gather = 0');
      const made: Check[] = [];
      for (const invariant of facts.invariants) made.push(await this.check(invariant));
      return made;
    });
    return { checks, isBalanced: checks.every(({ offenders }) => offenders.length === 0) };
  }

  private async check({ promise, id: kind, book, joined = '', broken }: Invariant): Promise<Check> {
    const [{ checked } = { checked: 0 }]: { checked: number }[] = await this.database.manager.query(
      `${ALL} SELECT count(*) AS checked FROM ${book} book`,
    );
    const rows: { id: string; mode: Mode }[] = await this.database.manager.query(
      `${ALL} SELECT book.id, book.mode FROM ${book} book ${joined} WHERE ${broken} ORDER BY book.id LIMIT ${MAX_OFFENDERS}`,
    );
    return { promise, checked, offenders: rows.map(({ id, mode }) => idOf(kind, id, mode)) };
  }
}
