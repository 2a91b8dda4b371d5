import { setTimeout as sleep } from 'node:timers/promises';
import { ConcurrencyLimit } from '../../platform/concurrency-limit.js';
import { nameOf, type Owner } from '../../shared/caller.js';
import { isOfOneRun } from '../faults.js';
import type { StatementPart } from './batched-write.js';
import { type ConnectionPool, ownerOfAll } from './connection-pool.js';
import { MAX_WAITING, overloaded } from './fair-queue.js';
import { composed, flat } from './statement.js';

/** The most rows of one statement. More save little, and each waits for all. */
const TOGETHER = 16;
/** In characters, which have three bytes at most: 256 KiB. */
const MAX_LENGTH = (256 * 1024) / 3;
/** How long writes wait for the statement of their kind before them, which may itself wait for a lock. */
const PATIENCE_MS = 50;
const MAX_ALL_WAITING = 4 * MAX_WAITING;

interface Waiting {
  readonly parts: readonly StatementPart[];
  readonly length: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes of requests that go together: rows of the same writes, of any organizations, or of one owner if they change rows. They
 * go at the end of the turn in which they come. While a statement of their kind is under way, the next ones wait for it, and then
 * go as one.
 */
export class BatchWriter {
  /** Those that wait, by kind and by owner. A kind is here from its first write until none waits. */
  private readonly kinds = new Map<string, Map<string, Waiting[]>>();
  private readonly waiting = new ConcurrencyLimit(MAX_WAITING, MAX_ALL_WAITING);

  constructor(private readonly pool: ConnectionPool) {}

  /** Writes all parts, or none. */
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

  /** Owners have turns: the flood of one leaves the others their places. */
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
      // The loop comes to what is set in it, after everything else: the owner's next write has its turn then.
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
      // One refused row fails the statement. Sent alone, only that one fails.
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
