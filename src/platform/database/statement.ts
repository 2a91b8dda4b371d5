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

/** Makes SQL from the SQL of its values: placeholders, or columns of BATCH, which are text. */
export type Sql = (...values: string[]) => string;

/** A write to the tables of one module. Parts of several modules are composed into one statement. */
export interface Part extends Write {
  /** Identifies the SQL: parts with the same name have the same text. */
  readonly name: string;
  /** Whose rows it writes. Parts that are committed together have one owner. */
  readonly owner: Owner;
  /** A part with a row count is sent alone, so it may count its placeholders from $1 itself. */
  readonly sql: Sql;
  /** Writes the same for all rows of BATCH. Without it, the part goes with no other request's. */
  readonly all?: Sql;
  /** Whether it locks rows that other requests of its owner want. It then goes with its owner's only. */
  readonly locks?: boolean;
  readonly values: readonly unknown[];
  /** How many rows it must change. Any other number means that the state changed since it was read. */
  readonly rows?: number;
  /** SQL for the number of rows that all rows of BATCH name. Unless exactly those change, and one alone, the statement divides by zero. */
  readonly exactly?: Sql;
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

/** The parts of each write. */
export async function partsOf(writes: readonly Write[]): Promise<readonly (readonly Part[])[]> {
  const made = await Promise.all(writes.map((write) => ('make' in write ? (write as Later).make() : write)));
  return made.map((write) => ('parts' in write ? (write as Parts).parts : [write as Part]));
}

export function valuesOf(parts: readonly Part[]): readonly unknown[] {
  return flat(parts.map(({ values }) => values));
}

/** flatMap() takes 12 µs for the values of a create, this 0.4. */
export function flat<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const none: Item[] = [];
  return none.concat(...lists);
}

/** PostgreSQL cuts names of statements to this many bytes. */
const LONGEST_NAME = 63;
const known = new Map<string, Statement>();

/** One statement that runs all parts. It takes their values in the same order. Its text is cached by the names of the parts. */
export function composed(parts: readonly Part[]): Statement {
  return remembered(namesOf(parts), () => {
    let last = 0;
    return textOf(
      parts.map(({ sql, values, exactly }) => {
        const text = sql(...values.map(() => `$${++last}`));
        return exactly ? { text, changes: '1' } : { text };
      }),
    );
  });
}

/** The rows that go together, with a column of text for each value of the parts. */
export const BATCH = 'batch';
/** How long a batch waits for what another transaction has locked. Then its rows go alone. */
const LOCK_TIMEOUT = `set_config('lock_timeout', '20ms', true)`;

/** The same for many rows at once. It takes an array of text for each value, with an element for each row. */
export function composedForAll(parts: readonly Part[]): Statement {
  return remembered(`all ${namesOf(parts)}`, () => {
    const columns: string[] = [];
    const columnOf = () => `${BATCH}.v${columns.push(`v${columns.length + 1}`)}`;
    const texts = parts.map(({ all, values, exactly }) => {
      const own = values.map(columnOf);
      const text = (all as Sql)(...own);
      return exactly ? { text, changes: exactly(...own) } : { text };
    });
    const arrays = columns.map((_, index) => `$${index + 1}::text[]`);
    const rows = `SELECT ${BATCH}.* FROM unnest(${arrays}) AS ${BATCH} (${columns}) CROSS JOIN (SELECT ${LOCK_TIMEOUT}) AS limited`;
    return textOf(texts, `${BATCH} AS MATERIALIZED (${rows})`);
  });
}

export function namesOf(parts: readonly Part[]): string {
  return parts.map(({ name }) => name).join(' ');
}

function remembered(names: string, textOf: () => string): Statement {
  let statement = known.get(names);
  if (!statement) {
    statement = { name: shortened(names), text: textOf() };
    known.set(names, statement);
  }
  return statement;
}

type Text = { readonly text: string; readonly changes?: string };

/**
 * The first part runs first: PostgreSQL executes the main query before data-modifying WITH queries that nothing reads. The part
 * that fails most often (a taken idempotency key) therefore comes first: then the others have not written dead rows.
 * Citus runs the WITH queries first, one after the other, and the main query at the end.
 */
function textOf([first, ...others]: readonly Text[], ...before: readonly string[]): string {
  if (first === undefined || first.changes !== undefined) throw new RangeError('A statement begins with an insert.');
  const counts: string[] = [];
  const queries = others.map(({ text, changes }, index) => {
    if (changes === undefined) return `part_${index} AS (${text})`;
    counts.push(`(SELECT count(*) FROM part_${index}) = (${changes})`);
    return `part_${index} AS (${text} RETURNING 1)`;
  });
  const main = counts.length === 0 ? first.text : `${first.text} RETURNING 1 / (${counts.join(' AND ')})::integer`;
  const all = [...before, ...queries];
  return all.length === 0 ? main : `WITH ${all.join(', ')} ${main}`;
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

/** An insert of the rows that a query makes from the values, alone and for all. */
export function inserting(into: string, rowsOf: Sql): Pick<Part, 'sql' | 'all'> {
  return {
    sql: (...values) => `INSERT INTO ${into} ${rowsOf(...values)}`,
    all: (...values) =>
      `INSERT INTO ${into} SELECT made.* FROM ${BATCH} CROSS JOIN LATERAL (${rowsOf(...values)}) AS made`,
  };
}
