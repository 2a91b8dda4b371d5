import { isOfOneRun } from '../platform/faults.js';
import { histogram } from '../platform/metric.js';
import type { Owner } from '../shared/caller.js';
import type { Connections } from './connections.js';
import type { Outcome, Statement, Values } from './prepared-query.js';
import { ownerOfAll } from './shares.js';

/** The largest batch. A larger one saves nothing measurable, and each read waits for all of its batch. */
const TOGETHER = 8;

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

/**
 * Reads of one statement and turn of the event loop go to PostgreSQL in one message, because nearly half of its time for a row
 * found by key is the message (docs/explain/performance.md). A batch holds one statement only, so that a look-up never waits
 * for a list.
 */
export class ReadBatches {
  /** The reads of this turn that were not sent yet, by the text of their statement. */
  private readonly batches = new Map<string, Read[]>();

  constructor(private readonly connections: Connections) {}

  add(owner: Owner, statement: Statement, values: Values): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const read = { owner, values, resolve, reject };
      const batch = this.batches.get(statement.text);
      if (batch === undefined) {
        this.batches.set(statement.text, [read]);
        setImmediate(() => this.go(statement));
      } else if (batch.push(read) === TOGETHER) this.go(statement);
    });
  }

  private go(statement: Statement): void {
    const reads = this.batches.get(statement.text);
    this.batches.delete(statement.text);
    if (reads) void this.answer(statement, reads);
  }

  private async answer(statement: Statement, reads: readonly Read[]): Promise<void> {
    const runs = reads.map(({ values }) => values);
    BATCH_SIZE.observe(runs.length);
    try {
      const owner = ownerOfAll(reads.map((read) => read.owner));
      const outcomes = await this.connections.send(owner, statement, runs);
      for (const [index, { resolve }] of reads.entries()) resolve(outcomes[index] as Outcome);
    } catch (error) {
      // One refused run fails the batch. Running each alone fails only that one.
      if (reads.length > 1 && isOfOneRun(error)) for (const read of reads) void this.answer(statement, [read]);
      else for (const { reject } of reads) reject(error);
    }
  }
}
