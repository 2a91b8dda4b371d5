import { channel } from 'node:diagnostics_channel';
import { type ClientBase, type Connection, type FieldDef, type Submittable, types } from 'pg';
// @ts-expect-error: pg's own cursor takes it from there too, but @types/pg does not have it.
import { prepareValue } from 'pg/lib/utils.js';

export interface Statement {
  readonly name: string;
  readonly text: string;
  /** A statement that finds a row by its ID may have this (`findById`). */
  readonly findMany?: FindMany;
}

/** Finds the rows of several IDs, where the statement beside it finds the row of one ID. */
interface FindMany {
  readonly statement: Statement;
  /** The ID, or the array of IDs, is at this index of the values. */
  readonly index: number;
}

/**
 * Each finished statement is published on this channel: its name, the number of its runs, and how
 * long it took.
 */
export const STATEMENTS = 'tillgate:statement';
const finished = channel(STATEMENTS);

export type Values = readonly unknown[];

export interface Outcome<Found = Row> {
  readonly rows: readonly Found[];
  /** The main part of the statement returned or changed this many rows. */
  readonly rowCount: number;
}

type Row = Record<string, unknown>;

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/** pg stores the text of each statement that a connection has prepared, by name. */
type Preparing = Connection & { readonly parsedStatements: Readonly<Record<string, string>> };

const described = new WeakMap<Connection, Map<string, readonly Column[]>>();

/**
 * Sends one or more runs of a prepared statement, which are one transaction, and returns their
 * outcomes.
 */
export function sent(
  client: ClientBase,
  statement: Statement,
  runs: readonly Values[],
): Promise<readonly Outcome[]> {
  return new Promise((resolve, reject) => {
    client.query(
      new PreparedQuery(statement, runs, (error, outcomes) =>
        error ? reject(error) : resolve(outcomes),
      ),
    );
  });
}

/**
 * pg's own query asks PostgreSQL to describe the columns at every run, which takes time
 * (docs/explain/performance.md). This one asks once per connection. That is safe, because
 * PostgreSQL rejects a prepared statement whose columns have changed.
 */
class PreparedQuery implements Submittable {
  readonly name: string;
  readonly text: string;
  private readonly outcomes: Outcome[] = [];
  private rows: Row[] = [];
  private columns: readonly Column[] = [];
  private readonly startedAt = finished.hasSubscribers ? performance.now() : 0;

  constructor(
    { name, text }: Statement,
    private readonly runs: readonly Values[],
    /** OpenTelemetry finds the callback by this name, which pg's own queries use too. */
    private readonly callback: (error: Error | undefined, outcomes: readonly Outcome[]) => void,
  ) {
    this.name = name;
    this.text = text;
  }

  /** An error is returned before anything is sent, and pg passes it to handleError. */
  submit(connection: Connection): Error | undefined {
    const prepared = (connection as Preparing).parsedStatements[this.name];
    if (prepared !== undefined && prepared !== this.text)
      return new Error(`Two statements are named ${this.name}.`);
    const columns = described.get(connection)?.get(this.name);
    this.columns = columns ?? [];
    let runs: (string | Buffer | null)[][];
    try {
      runs = this.runs.map((values) => values.map(prepareValue));
    } catch (error) {
      return error as Error;
    }
    // All messages are written to the socket at once, which wakes PostgreSQL once.
    connection.stream.cork();
    try {
      if (prepared === undefined)
        connection.parse({ name: this.name, text: this.text, types: [] }, false);
      for (const [index, values] of runs.entries()) {
        // The flush makes PostgreSQL send each outcome at once. Otherwise a long batch would look
        // like a dead connection, which a timer closes.
        if (index > 0) connection.flush();
        connection.bind({ statement: this.name, values }, false);
        if (index === 0 && columns === undefined) connection.describe({ type: 'P' }, false);
        connection.execute(null, false);
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
    return undefined;
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: types.getTypeParser(dataTypeID, 'text'),
    }));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const row: Row = {};
    this.columns.forEach(({ name, parse }, index) => {
      const text = fields[index] ?? null;
      row[name] = text === null ? null : parse(text);
    });
    this.rows.push(row);
  }

  handleCommandComplete({ text }: { readonly text: string }, connection: Connection): void {
    this.outcomes.push({
      rows: this.rows,
      rowCount: Number(text.slice(text.lastIndexOf(' ') + 1)),
    });
    this.rows = [];
    const known = described.get(connection) ?? new Map<string, readonly Column[]>();
    if (!known.has(this.name)) described.set(connection, known.set(this.name, this.columns));
  }

  handleReadyForQuery(): void {
    this.end(undefined, this.outcomes);
  }

  /** Adds the name of the statement, because the stack of pg's errors begins at the socket. */
  handleError(error: Error): void {
    this.end(Object.assign(error, { statement: this.name }), []);
  }

  private end(error: Error | undefined, outcomes: readonly Outcome[]): void {
    if (finished.hasSubscribers) {
      const ms = Math.round((performance.now() - this.startedAt) * 10) / 10;
      finished.publish({ statement: this.name, runs: this.runs.length, ms });
    }
    this.callback(error, outcomes);
  }
}
