import { isOfOneRun } from '../platform/faults.js';
import { histogram } from '../platform/metric.js';
import type { Owner } from '../shared/caller.js';
import type { Outcome, Statement, Values } from './prepared-query.js';
import { ownerOfAll } from './shares.js';

/** The largest batch. A larger one saves nothing measurable, and each read waits for all of its batch. */
const TOGETHER = 8;
/** A batch slower than this is not repeated for a while: a read waits for up to seven others. */
const SLOW_MS = 500;
const ALONE_MS = 10_000;

export const BATCH_SIZE = histogram({
  name: 'tillgate_database_batch_size',
  help: 'Reads that went to PostgreSQL together. Their number is `_sum`, and `_count` is the number of messages.',
  buckets: [1, 2, 3, 4, 5, 6, 7, TOGETHER],
});

interface Read {
  readonly owner: Owner;
  readonly values: Values;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

interface Batch {
  readonly statement: Statement;
  reads: Read[];
  aloneUntil: number;
}

type Send = (
  owner: Owner | undefined,
  statement: Statement,
  runs: readonly Values[],
  onSent: () => void,
) => Promise<readonly Outcome[]>;

/**
 * Reads of one statement and turn of the event loop go to PostgreSQL in one message, because nearly half of its time for a row
 * found by key is the message (docs/explain/performance.md). A batch holds one statement only, so that a look-up never waits
 * for a list.
 */
export class ReadBatches {
  private readonly batches = new Map<string, Batch>();

  constructor(private readonly send: Send) {}

  add(owner: Owner, statement: Statement, values: Values): Promise<Outcome> {
    const batch = this.batches.get(statement.text) ?? { statement, reads: [], aloneUntil: 0 };
    this.batches.set(statement.text, batch);
    return new Promise((resolve, reject) => {
      const count = batch.reads.push({ owner, values, resolve, reject });
      if (count === TOGETHER || performance.now() < batch.aloneUntil) this.go(batch);
      else if (count === 1) setImmediate(() => this.go(batch));
    });
  }

  private go(batch: Batch): void {
    const { reads } = batch;
    // A new list, because an emptied one keeps its reads reachable for the garbage collector.
    batch.reads = [];
    if (reads.length > 0) void this.answer(batch, reads);
  }

  private async answer(batch: Batch, reads: readonly Read[]): Promise<void> {
    let slow: NodeJS.Timeout | undefined;
    const onSent = () => {
      slow = setTimeout(() => Object.assign(batch, { aloneUntil: performance.now() + ALONE_MS }), SLOW_MS);
    };
    const runs = reads.map(({ values }) => values);
    BATCH_SIZE.observe(runs.length);
    try {
      const outcomes = await this.send(ownerOfAll(reads.map(({ owner }) => owner)), batch.statement, runs, onSent);
      for (const [index, { resolve }] of reads.entries()) resolve(outcomes[index] as Outcome);
    } catch (error) {
      // One refused run fails the batch. Running each alone fails only that one.
      if (reads.length > 1 && isOfOneRun(error)) for (const read of reads) void this.answer(batch, [read]);
      else for (const { reject } of reads) reject(error);
    } finally {
      clearTimeout(slow);
    }
  }
}
