import { isRefusedStatement, isUnavailable } from './faults.js';
import type { Outcome, Values } from './prepared-query.js';

/** So many go together: more saves nothing that can be measured, and each waits for all of them. */
const TOGETHER = 8;
/** What PostgreSQL takes longer for is a slow statement, disk or lock: behind seven of those nobody should be. */
const SLOW_MS = 500;
/** How long each read then goes alone. */
const ALONE_MS = 10_000;

interface Read {
  readonly values: Values;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The reads of one statement. Those that come in the same turn of the event loop go to PostgreSQL in one message:
 * nearly half of what it spends on a row found by its key is being asked for it (docs/performance.md). Only one statement's,
 * so that what looks at one row is never behind what looks at many.
 */
export class Reads {
  private gathered: Read[] = [];
  private aloneUntil = 0;

  constructor(private readonly run: (runs: readonly Values[], onSent: () => void) => Promise<readonly Outcome[]>) {}

  add(values: Values): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.gathered.push({ values, resolve, reject });
      if (this.gathered.length === 1) setImmediate(this.send);
      if (this.gathered.length === TOGETHER || performance.now() < this.aloneUntil) this.send();
    });
  }

  private readonly send = (): void => {
    const reads = this.gathered;
    // A new list: one that is emptied would keep its reads in sight of the garbage collector.
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
    try {
      const outcomes = await this.run(runs, onSent);
      for (const [index, { resolve }] of reads.entries()) resolve(outcomes[index] as Outcome);
    } catch (error) {
      // One of them was refused, and so all: each for itself they tell which one.
      const isOnes = 'statement' in (error as Error) && (isRefusedStatement(error) || !isUnavailable(error));
      if (reads.length > 1 && isOnes) for (const read of reads) void this.answer([read]);
      else for (const { reject } of reads) reject(error);
    } finally {
      clearTimeout(slow);
    }
  }
}
