import { ConcurrencyLimit } from '../../platform/concurrency-limit.js';
import { nameOf, type Owner } from '../../shared/caller.js';
import { isOfOneRun } from '../faults.js';
import type { StatementPart } from './batched-write.js';
import { type ConnectionPool, ownerOfAll } from './connection-pool.js';
import { MAX_WAITING, overloaded } from './fair-queue.js';
import { SeparatedOwners } from './separated-owners.js';
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
/** A change that takes longer, alone, has probably waited for a lock. */
const SLOW_MS = 50;

interface Waiting {
  readonly parts: readonly StatementPart[];
  readonly length: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends the writes of several requests as one statement, because PostgreSQL spends much more time
 * on a statement than on a row. Writes are of one kind if they are rows of the same writes,
 * whoever they belong to.
 *
 * A statement that changes rows locks them, and may wait for a lock. An owner whose change has
 * delayed the changes of others is separated from them for a while.
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
  private readonly separated = new SeparatedOwners();

  constructor(private readonly pool: ConnectionPool) {}

  /** Writes all parts, or none of them. */
  async add(parts: readonly StatementPart[]): Promise<void> {
    const owner = nameOf(ownerOf(parts));
    if (!this.waiting.take(owner)) throw overloaded();
    const name = this.kindOf(parts, owner);
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

  private kindOf(parts: readonly StatementPart[], owner: string): string {
    const names = parts.map(({ name }) => name).join(' ');
    return locksRows(parts) && this.separated.has(owner) ? `${names} ${owner}` : names;
  }

  private async sendAll(kind: string, lines: Map<string, Waiting[]>): Promise<void> {
    for (let writes = this.next(lines); writes.length > 0; writes = this.next(lines))
      await endOrPatience(this.send(writes));
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
    const error = await this.errorOf(writes);
    if (error === undefined) {
      for (const { resolve } of writes) resolve();
      return;
    }
    // PostgreSQL refuses the whole statement for one bad row. The writes are sent again one by one,
    // so that only that one fails.
    if (writes.length > 1 && isOfOneRun(error)) {
      for (const write of writes) void this.sendAlone(write);
      return;
    }
    for (const { reject } of writes) reject(error);
  }

  /** Sends a write again, and separates its owner if it is what has delayed the others. */
  private async sendAlone(write: Waiting): Promise<void> {
    const startedAt = performance.now();
    const error = await this.errorOf([write]);
    const isSlow = performance.now() - startedAt > SLOW_MS;
    const hasDelayed = locksRows(write.parts) && (error !== undefined || isSlow);
    if (hasDelayed) this.separated.add(nameOf(ownerOf(write.parts)));
    if (error === undefined) write.resolve();
    else write.reject(error);
  }

  /** Writes all, and returns the error if nothing was written. */
  private async errorOf(writes: readonly Waiting[]): Promise<unknown> {
    try {
      const parts = flat(writes.map((write) => write.parts));
      const [statement, values] = composed(parts, writes.length > 1);
      const owner = ownerOfAll(writes.map((write) => ownerOf(write.parts)));
      await this.pool.send(owner, statement, [values]);
      return undefined;
    } catch (error) {
      return error;
    }
  }
}

/** Resolves when the work ends, or after PATIENCE_MS. The work never rejects. */
function endOrPatience(work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE_MS);
    timer.unref();
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function locksRows(parts: readonly StatementPart[]): boolean {
  return parts.some(({ write }) => write.isChange);
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
