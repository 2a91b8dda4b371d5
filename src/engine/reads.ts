import { isOfOneRun } from '../platform/faults.js';
import { histogram } from '../platform/metric.js';
import { nameOf, type Owner } from '../shared/caller.js';
import type { Outcome, Statement, Values } from './prepared-query.js';

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

type Run = (
  owner: Owner | undefined,
  statement: Statement,
  runs: readonly Values[],
  onSent: () => void,
) => Promise<readonly Outcome[]>;

export class ReadBatches {
  private readonly batches = new Map<string, Batch>();

  constructor(
    private readonly run: Run,
    private readonly isGathering: boolean,
  ) {}

  async add(owner: Owner, statement: Statement, values: Values): Promise<Outcome> {
    if (!this.isGathering) return (await this.run(owner, statement, [values], () => undefined))[0] as Outcome;
    let batch = this.batches.get(statement.text);
    if (!batch) {
      batch = new Batch((owner, runs, onSent) => this.run(owner, statement, runs, onSent));
      this.batches.set(statement.text, batch);
    }
    return batch.add(owner, values);
  }
}

/**
 * The reads of one statement. Reads of the same turn of the event loop go to PostgreSQL in one message, because nearly half
 * of its time for a row found by key is the message (docs/explain/performance.md). A batch holds one statement only, so that a
 * look-up never waits for a list.
 */
class Batch {
  private gathered: Read[] = [];
  private aloneUntil = 0;

  constructor(
    private readonly run: (
      owner: Owner | undefined,
      runs: readonly Values[],
      onSent: () => void,
    ) => Promise<readonly Outcome[]>,
  ) {}

  add(owner: Owner, values: Values): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.gathered.push({ owner, values, resolve, reject });
      if (this.gathered.length === 1) setImmediate(this.send);
      if (this.gathered.length === TOGETHER || performance.now() < this.aloneUntil) this.send();
    });
  }

  private readonly send = (): void => {
    const reads = this.gathered;
    // A new list, because an emptied one keeps its reads reachable for the garbage collector.
    this.gathered = [];
    if (reads.length > 0) void this.answer(reads);
  };

  private async answer(reads: readonly Read[]): Promise<void> {
    let slow: NodeJS.Timeout | undefined;
    const goAlone = () => {
      this.aloneUntil = performance.now() + ALONE_MS;
    };
    const onSent = () => {
      slow = setTimeout(goAlone, SLOW_MS);
    };
    const runs = reads.map(({ values }) => values);
    BATCH_SIZE.observe(runs.length);
    try {
      const outcomes = await this.run(ownerOf(reads), runs, onSent);
      for (const [index, { resolve }] of reads.entries()) resolve(outcomes[index] as Outcome);
    } catch (error) {
      // One refused run fails the batch. Running each alone fails only that one.
      if (reads.length > 1 && isOfOneRun(error)) for (const read of reads) void this.answer([read]);
      else for (const { reject } of reads) reject(error);
    } finally {
      clearTimeout(slow);
    }
  }
}

/** The owner of all these reads. Undefined if there are several: such a batch takes nobody's share. */
function ownerOf([first, ...others]: readonly Read[]): Owner | undefined {
  return first && others.every(({ owner }) => nameOf(owner) === nameOf(first.owner)) ? first.owner : undefined;
}
