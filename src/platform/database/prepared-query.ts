import { type Connection, type FieldDef, type Submittable, types } from 'pg';
// @ts-expect-error: pg's own cursor takes it from there too, but @types/pg does not have it.
import { prepareValue } from 'pg/lib/utils.js';
import type { Statement } from './statement.js';

type Row = Record<string, unknown>;
type Done = (error: Error | undefined, result: PreparedQuery) => void;

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/** pg keeps the text of every statement that a connection has prepared, by name. */
type Preparing = Connection & { readonly parsedStatements: Readonly<Record<string, string>> };

/** The columns of every statement that has run on a connection. */
const described = new WeakMap<Connection, Map<string, readonly Column[]>>();

/**
 * One run of a statement, which pg calls back like a query of its own. That one has PostgreSQL describe the columns at
 * every run, and reading the description costs more than reading the row (docs/performance.md). The columns of a prepared
 * statement never change, PostgreSQL rather refuses to run it: once on each connection is enough.
 */
export class PreparedQuery implements Submittable {
  readonly name: string;
  readonly text: string;
  readonly rows: Row[] = [];
  /** How many rows the main part of the statement returned or changed. */
  rowCount = 0;
  private columns: readonly Column[] | undefined;

  constructor(
    statement: Statement,
    private readonly values: readonly unknown[],
    readonly callback: Done,
  ) {
    this.name = statement.name;
    this.text = statement.text;
  }

  /** An error is returned before anything is sent, and pg hands it to handleError. */
  submit(connection: Connection): Error | undefined {
    const prepared = (connection as Preparing).parsedStatements[this.name];
    if (prepared !== undefined && prepared !== this.text) return new Error(`Two statements are named ${this.name}.`);
    this.columns = described.get(connection)?.get(this.name);
    const values: (string | Buffer | null)[] = this.values.map(prepareValue);
    // Written at once: PostgreSQL is woken once.
    connection.stream.cork();
    if (prepared === undefined) connection.parse({ name: this.name, text: this.text, types: [] }, false);
    connection.bind({ statement: this.name, values }, false);
    if (this.columns === undefined) connection.describe({ type: 'P' }, false);
    connection.execute(null, false);
    connection.sync();
    connection.stream.uncork();
    return undefined;
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.columns = fields.map(({ name, dataTypeID }) => ({ name, parse: types.getTypeParser(dataTypeID, 'text') }));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const row: Row = {};
    this.columns?.forEach(({ name, parse }, index) => {
      const text = fields[index] ?? null;
      row[name] = text === null ? null : parse(text);
    });
    this.rows.push(row);
  }

  handleCommandComplete({ text }: { readonly text: string }, connection: Connection): void {
    this.rowCount = Number(text.slice(text.lastIndexOf(' ') + 1));
    const known = described.get(connection) ?? new Map<string, readonly Column[]>();
    described.set(connection, known.set(this.name, this.columns ?? []));
  }

  handleReadyForQuery(): void {
    this.callback(undefined, this);
  }

  /** The stack of pg's errors begins at the socket: for the log, the name says where they come from. */
  handleError(error: Error): void {
    this.callback(Object.assign(error, { statement: this.name }), this);
  }
}
