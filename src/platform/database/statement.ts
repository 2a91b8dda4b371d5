import { hash } from 'node:crypto';
import type { Owner } from '../../shared/caller.js';
import type { Write } from '../../shared/decision.js';

/** Named SQL, prepared once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** What runs on a Citus cluster instead, which cannot run the text. */
  readonly onCitus?: string;
}

/** A write to the tables of one module. Parts of several modules are composed into one statement. */
export interface Part extends Write {
  /** Identifies the SQL: parts with the same name have the same text. */
  readonly name: string;
  /** Whose rows it writes. Parts that are committed together have one owner. */
  readonly owner: Owner;
  /** Placeholders count from $1 within the part. */
  readonly sql: string;
  readonly values: readonly unknown[];
  /** How many rows it must change. Any other number means that the state changed since it was read. */
  readonly rows?: number;
  /** Constraints whose violation means that the state changed since it was read. The use case then decides again. */
  readonly stale?: readonly string[];
  /** Called once the write is committed. Must not throw. */
  readonly committed?: () => void;
}

interface Parts extends Write {
  readonly parts: readonly Part[];
}

export function several(name: string, ...parts: readonly Part[]): Write {
  return { name, parts } as Parts;
}

/** A write that first reads something, such as the clock of a test mode. It is made when it is sent. */
interface Later extends Write {
  readonly make: () => Promise<Write>;
}

export function later(name: string, make: () => Promise<Write>): Write {
  return { name, make } as Later;
}

export async function partsOf(writes: readonly Write[]): Promise<readonly Part[]> {
  const made = await Promise.all(writes.map((write) => ('make' in write ? (write as Later).make() : write)));
  return flat(made.map((write) => ('parts' in write ? (write as Parts).parts : [write as Part])));
}

export function valuesOf(parts: readonly Part[]): readonly unknown[] {
  return flat(parts.map(({ values }) => values));
}

/** flatMap() takes 12 µs for the values of a create, this 0.4. */
function flat<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const none: Item[] = [];
  return none.concat(...lists);
}

/** PostgreSQL cuts names of statements to this many bytes. */
const LONGEST_NAME = 63;
const known = new Map<string, Statement>();

/** One statement that runs all parts. It takes their values in the same order. Its text is cached by the names of the parts. */
export function composed(parts: readonly Part[]): Statement {
  const names = parts.map(({ name }) => name).join(' ');
  let statement = known.get(names);
  if (!statement) {
    statement = { name: shortened(names), text: textOf(parts) };
    known.set(names, statement);
  }
  return statement;
}

/**
 * The first part runs first: PostgreSQL executes the main query before data-modifying WITH queries that nothing reads. The part
 * that fails most often (a taken idempotency key) therefore comes first: then the others have not written dead rows.
 * Citus runs the WITH queries first, one after the other, and the main query at the end.
 */
function textOf([first, ...others]: readonly Part[]): string {
  if (!first) throw new RangeError('A statement has at least one part.');
  let offset = first.values.length;
  const ctes = others.map(({ values, sql }, index) => {
    const shifted = shift(sql, offset);
    offset += values.length;
    return `part_${index} AS (${shifted})`;
  });
  return ctes.length === 0 ? first.sql : `WITH ${ctes.join(', ')} ${first.sql}`;
}

function shift(sql: string, offset: number): string {
  return sql.replaceAll(/\$(\d+)/g, (_, number: string) => `$${Number(number) + offset}`);
}

function shortened(names: string): string {
  if (names.length <= LONGEST_NAME) return names;
  const digest = hash('sha256', names).slice(0, 8);
  return `${names.slice(0, LONGEST_NAME - digest.length - 1)} ${digest}`;
}

/** SQL: the column's time minus so many seconds. In UTC, because Citus refuses arithmetic that depends on a time zone. */
export function earlier(column: string, seconds: string): string {
  return `(${column} AT TIME ZONE 'UTC' - make_interval(secs => ${seconds})) AT TIME ZONE 'UTC'`;
}

/** `INSERT INTO table (columns) VALUES ($1, …)`, with SQL around a placeholder where it is given. */
export function insertText(
  table: string,
  columns: readonly string[],
  written: readonly (((value: string) => string) | undefined)[] = [],
): string {
  const values = columns.map((_, index) => written[index]?.(`$${index + 1}`) ?? `$${index + 1}`);
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')})`;
}
