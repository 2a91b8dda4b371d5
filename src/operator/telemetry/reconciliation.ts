import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../../persistence/database.js';
import { statement } from '../../persistence/statement.js';
import { Jobs } from '../../platform/jobs.js';
import { gauge } from '../../platform/metric.js';
import { Declarations, type Invariant } from '../../platform/module-declaration.js';
import { MODES, type Mode } from '../../shared/caller.js';
import { FIRST_UUID, idOf } from '../../shared/id.js';

const INTERVAL_MS = 60_000;
/**
 * One look reads this many rows of each invariant and mode, which takes PostgreSQL a few
 * milliseconds.
 */
const ROWS = 1_000;

export const BROKEN_PROMISES = gauge({
  name: 'tillgate_broken_promises',
  help:
    'Rows that break a promise of `tillgate reconcile`. The last changes are checked every ' +
    'minute, and all other rows in turn.',
  labels: { promise: ({ invariantNames }) => invariantNames },
  aggregator: 'max',
});

interface Found {
  readonly next: string | null;
  readonly broken: readonly string[];
}

interface Look {
  readonly mode: Mode;
  /** This is the last row of the look before. */
  readonly last: string;
  /** These rows were broken at the look before. */
  readonly known: readonly string[];
}

/** PostgreSQL cuts names to 63 bytes. */
const statementOf = ({ name, balances, joined = '', broken, touched }: Invariant) =>
  statement<Look>(name.slice(0, 63), ({ mode, last, known }) => {
    const ofMode = `SELECT id FROM ${balances} balances WHERE mode = ${mode}`;
    const newest = touched?.(mode) ?? `${ofMode} ORDER BY id DESC`;
    const next = `SELECT id FROM turn ORDER BY id OFFSET ${ROWS - 1}`;
    const seen = `SELECT id FROM turn UNION SELECT id FROM newest
      UNION SELECT unnest(${known}::uuid[])`;
    const rows = `SELECT balances.id FROM ${balances} balances ${joined}`;
    return `/* every organization: the books of all must balance */
    WITH turn AS MATERIALIZED (${ofMode} AND id > ${last} ORDER BY id LIMIT ${ROWS}),
    newest AS MATERIALIZED (${newest} LIMIT ${ROWS})
    SELECT (${next}) AS next, ARRAY(${rows}
      WHERE balances.mode = ${mode} AND balances.id = ANY (ARRAY(${seen}))
        AND (${broken})) AS broken`;
  });

/**
 * Runs the checks of `tillgate reconcile` all the time, a part at a time, so that operators hear of
 * a wrong sum although nobody runs the command.
 */
@Injectable()
export class Reconciliation implements OnApplicationBootstrap {
  private readonly logger = new Logger(Reconciliation.name);
  private readonly last = new Map<string, Found>();

  constructor(
    private readonly database: Database,
    private readonly declarations: Declarations,
    private readonly jobs: Jobs,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.repeat('reconcile', INTERVAL_MS, () => this.look());
  }

  async look(): Promise<void> {
    for (const invariant of this.declarations.invariants) {
      let broken = 0;
      for (const mode of MODES) broken += await this.lookAt(invariant, mode);
      BROKEN_PROMISES.set({ promise: invariant.name }, broken);
    }
  }

  private async lookAt(invariant: Invariant, mode: Mode): Promise<number> {
    const name = `${invariant.name} ${mode}`;
    const { next = null, broken: known = [] } = this.last.get(name) ?? {};
    const look = statementOf(invariant).of({ mode, last: next ?? FIRST_UUID, known });
    const { rows } = await this.database.autocommit<Found>({ queue: 'reconcile' }, ...look);
    const [found] = rows as [Found];
    this.last.set(name, found);
    for (const id of found.broken.filter((id) => !known.includes(id)))
      this.logger.error(`${idOf(invariant.id, id, mode)} breaks a promise: ${invariant.name}.`);
    return found.broken.length;
  }
}
