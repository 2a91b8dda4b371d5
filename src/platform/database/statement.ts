/**
 * Named SQL, prepared once per connection. A write that touches several owners' tables (a refund, the payment it holds
 * money of, the kept answer) is composed from a part of each, so that it stays one statement, one round trip and
 * atomic without a transaction block, while every table's SQL lives with its owner.
 */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** A part of a write: placeholders count from $1 within the part, `parameters` says how many there are. */
export interface StatementPart {
  readonly parameters: number;
  readonly sql: string;
}

/**
 * Joins parts into one statement whose values are the parts' values in the same order. The first part runs first:
 * PostgreSQL executes the main query before data-modifying WITH queries nobody reads, so put the part that most often
 * fails there (a taken idempotency key) and a failure leaves no dead rows of the others.
 */
export function compose(name: string, first: StatementPart, ...others: readonly StatementPart[]): Statement {
  let offset = first.parameters;
  const ctes = others.map(({ parameters, sql }, index) => {
    const shifted = shift(sql, offset);
    offset += parameters;
    return `part_${index} AS (${shifted})`;
  });
  return { name, text: ctes.length === 0 ? first.sql : `WITH ${ctes.join(', ')} ${first.sql}` };
}

function shift(sql: string, offset: number): string {
  return sql.replaceAll(/\$(\d+)/g, (_, number: string) => `$${Number(number) + offset}`);
}

/** A part that inserts one row: `INSERT INTO table (columns) VALUES ($1, …)`. */
export function insertPart(table: string, columns: readonly string[]): StatementPart {
  const placeholders = columns.map((_, index) => `$${index + 1}`);
  return {
    parameters: columns.length,
    sql: `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${placeholders.join(', ')})`,
  };
}
