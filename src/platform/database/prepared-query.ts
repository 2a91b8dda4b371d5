import { type Connection, type FieldDef, type Submittable, types } from 'pg';
// @ts-expect-error: pg's own cursor takes it from there too, but @types/pg does not have it.
import { prepareValue } from 'pg/lib/utils.js';
import type { Statement } from './statement.js';

export type Values = readonly unknown[];

/** What came of one run. */
export interface Outcome {
  readonly rows: readonly Row[];
  /** How many rows the main part of the statement returned or changed. */
  readonly rowCount: number;
}

type Row = Record<string, unknown>;
/** Without an error there are as many outcomes as there were runs. */
type Done = (error: Error | undefined, outcomes: readonly Outcome[]) => void;

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/** pg keeps the text of every statement that a connection has prepared, by name. */
type Preparing = Connection & { readonly parsedStatements: Readonly<Record<string, string>> };

/** The columns of every statement that has run on a connection. */
const described = new WeakMap<Connection, Map<string, readonly Column[]>>();

/**
 * One or more runs of a statement, as one transaction, which pg calls back like a query of its own. That one has PostgreSQL
 * describe the columns at every run, and reads that again each time (docs/performance.md). The columns of a prepared
 * statement never change, PostgreSQL rather refuses to run it: once on each connection is enough.
 */
export class PreparedQuery implements Submittable {
  readonly name: string;
  readonly text: string;
  private readonly outcomes: Outcome[] = [];
  /** Of the run that is being answered. */
  private rows: Row[] = [];
  private columns: readonly Column[] | undefined;
  private unreadable: Error | undefined;
  private hasEnded = false;

  constructor(
    statement: Statement,
    private readonly runs: readonly Values[],
    private readonly done: Done,
  ) {
    this.name = statement.name;
    this.text = statement.text;
  }

  /** An error is returned before anything is sent, and pg hands it to handleError. */
  submit(connection: Connection): Error | undefined {
    const prepared = (connection as Preparing).parsedStatements[this.name];
    if (prepared !== undefined && prepared !== this.text) return new Error(`Two statements are named ${this.name}.`);
    this.columns = described.get(connection)?.get(this.name);
    let runs: (string | Buffer | null)[][];
    try {
      runs = this.runs.map((values) => values.map(prepareValue));
    } catch (error) {
      return error as Error;
    }
    // Written at once: PostgreSQL is woken once.
    connection.stream.cork();
    try {
      if (prepared === undefined) connection.parse({ name: this.name, text: this.text, types: [] }, false);
      for (const [index, values] of runs.entries()) {
        // Each outcome leaves when it is there: a connection that is silent for several runs would be taken for dead.
        if (index > 0) connection.flush();
        connection.bind({ statement: this.name, values }, false);
        if (index === 0 && this.columns === undefined) connection.describe({ type: 'P' }, false);
        connection.execute(null, false);
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
    return undefined;
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.columns = fields.map(({ name, dataTypeID }) => ({ name, parse: types.getTypeParser(dataTypeID, 'text') }));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const row: Row = {};
    try {
      this.columns?.forEach(({ name, parse }, index) => {
        const text = fields[index] ?? null;
        row[name] = text === null ? null : parse(text);
      });
    } catch (error) {
      // Thrown on, it would end the process.
      this.unreadable = error as Error;
    }
    this.rows.push(row);
  }

  handleCommandComplete({ text }: { readonly text: string }, connection: Connection): void {
    this.outcomes.push({ rows: this.rows, rowCount: Number(text.slice(text.lastIndexOf(' ') + 1)) });
    this.rows = [];
    const known = described.get(connection) ?? new Map<string, readonly Column[]>();
    if (!known.has(this.name)) described.set(connection, known.set(this.name, this.columns ?? []));
  }

  handleReadyForQuery(): void {
    if (this.unreadable) this.handleError(this.unreadable);
    else this.end(undefined, this.outcomes);
  }

  /** The stack of pg's errors begins at the socket: for the log, the name says where they come from. */
  handleError(error: Error): void {
    this.end(Object.assign(error, { statement: this.name }), []);
  }

  /** Once: an error of submit() is handed over a turn later, and the socket may have failed by then. */
  private end(error: Error | undefined, outcomes: readonly Outcome[]): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.done(error, outcomes);
  }
}
