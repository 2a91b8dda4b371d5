import { setTimeout as sleep } from 'node:timers/promises';
import { ConcurrencyLimit } from '../../platform/concurrency-limit.js';
import { nameOf, type Owner } from '../../shared/caller.js';
import { isOfOneRun } from '../faults.js';
import type { StatementPart } from './batched-write.js';
import { type ConnectionPool, ownerOfAll } from './connection-pool.js';
import { MAX_WAITING, overloaded } from './fair-queue.js';
import { composed, flat } from './statement.js';

/**
 * One statement has at most this many rows. More rows save little, and each row waits for the whole
 * statement.
 */
const TOGETHER = 16;
/** The limit is 256 KiB, in UTF-16 code units, each of which takes three bytes of UTF-8 at most. */
const MAX_LENGTH = (256 * 1024) / 3;
/**
 * Writes wait this long for the statement of their kind before them, because that one may wait for
 * a lock.
 */
const PATIENCE_MS = 50;
const MAX_ALL_WAITING = 4 * MAX_WAITING;

interface Waiting {
  readonly parts: readonly StatementPart[];
  readonly length: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends the writes of several requests as one statement, because PostgreSQL spends much more time
 * on a statement than on a row. Writes are of one kind if they are rows of the same writes. A
 * statement that only inserts may carry rows of all organizations. A statement that changes rows
 * locks them, so it carries the rows of one owner, and no owner waits for the locks of another.
 *
 * Writes leave at the end of the turn of the event loop in which they came. While a statement of
 * their kind is under way, the next writes wait for it and then leave together. Nothing waits only
 * in the hope of more writes (docs/explain/batch.md).
 */
export class BatchWriter {
  /**
   * These writes wait, by kind and by owner. A kind is in the map from its first write until no
   * write of it waits.
   */
  private readonly kinds = new Map<string, Map<string, Waiting[]>>();
  private readonly waiting = new ConcurrencyLimit(MAX_WAITING, MAX_ALL_WAITING);

  constructor(private readonly pool: ConnectionPool) {}

  /** Writes all parts, or none of them. */
  async add(parts: readonly StatementPart[]): Promise<void> {
    const owner = nameOf(ownerOf(parts));
    if (!this.waiting.take(owner)) throw overloaded();
    const locking = parts.find(({ write }) => write.isChange);
    const names = parts.map(({ name }) => name).join(' ');
    const name = locking ? `${names} ${nameOf(locking.owner)}` : names;
    await new Promise<void>((resolve, reject) => {
      const lines = this.kinds.get(name) ?? new Map<string, Waiting[]>();
      const line = lines.get(owner) ?? [];
      line.push({ parts, length: lengthOf(parts), resolve, reject });
      lines.set(owner, line);
      if (this.kinds.has(name)) return;
      this.kinds.set(name, lines);
      setImmediate(() => this.sendAll(name, lines));
    });
  }

  private async sendAll(kind: string, lines: Map<string, Waiting[]>): Promise<void> {
    for (let writes = this.next(lines); writes.length > 0; writes = this.next(lines))
      await Promise.race([this.send(writes), sleep(PATIENCE_MS, undefined, { ref: false })]);
    this.kinds.delete(kind);
  }

  /**
   * Takes the next writes, one of each owner in turn, so that an owner with many writes leaves the
   * others their places.
   */
  private next(lines: Map<string, Waiting[]>): Waiting[] {
    const writes: Waiting[] = [];
    let length = 0;
    for (const [owner, line] of lines) {
      const [first] = line as [Waiting];
      length += first.length;
      if (writes.length === TOGETHER || (writes.length > 0 && length > MAX_LENGTH)) break;
      writes.push(first);
      line.shift();
      this.waiting.giveBack(owner);
      lines.delete(owner);
      // A Map's iteration reaches an entry that is added meanwhile, after all others. The owner's
      // next write has its turn then.
      if (line.length > 0) lines.set(owner, line);
    }
    return writes;
  }

  private async send(writes: readonly Waiting[]): Promise<void> {
    try {
      const parts = flat(writes.map((write) => write.parts));
      const [statement, values] = composed(parts, writes.length > 1);
      await this.pool.send(ownerOfAll(writes.map((write) => ownerOf(write.parts))), statement, [
        values,
      ]);
      for (const { resolve } of writes) resolve();
    } catch (error) {
      // PostgreSQL refuses the whole statement for one bad row. The writes are sent again one by
      // one, so that only that one fails.
      if (writes.length > 1 && isOfOneRun(error))
        for (const write of writes) void this.send([write]);
      else for (const { reject } of writes) reject(error);
    }
  }
}

function lengthOf(parts: readonly StatementPart[]): number {
  let length = 0;
  for (const { values } of parts)
    for (const value of values) if (typeof value === 'string') length += value.length;
  return length;
}

function ownerOf(parts: readonly StatementPart[]): Owner {
  return (parts[0] as StatementPart).owner;
}
