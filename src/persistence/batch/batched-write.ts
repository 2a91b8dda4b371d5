/** Writes of one row that go with those of other requests: one SQL for a row alone and for many (docs/explain/batch.md). */

import type { Owner } from '../../shared/caller.js';
import { columnsOf, type Record, tableOf } from '../columns.js';
import type { Values } from './prepared-query.js';

/** SQL over rows: `input` is a relation with the columns of the write. */
export type TextOfRows = (input: string) => string;

/** An input, and what is written of its rows. */
export interface BatchedWrite<Row = never> {
  readonly name: string;
  readonly input: ColumnTypes;
  valuesOf(row: Row): readonly unknown[];
  /** Of one row, or of many; `of` is SQL for a column: its placeholder if there is one row. */
  main(isOne: boolean, of: (column: string) => string): string;
  readonly texts: readonly TextOfRows[];
  /** Whether rows are changed, and so locked. Exactly those must be that the input names. */
  readonly isChange: boolean;
}

type ColumnTypes = Readonly<{ [column: string]: string }>;

export function insertInto<Row extends object, Added = unknown>(
  name: string,
  record: Record<Row>,
  {
    more = {},
    texts = [],
  }: { readonly more?: ColumnTypes; readonly texts?: readonly TextOfRows[] } = {},
): BatchedWrite<Row & Added> {
  const written = columnsOf(record);
  const read = Object.entries(more).map(([column, type]) => ({
    property: column as keyof Row,
    column,
    type,
    isJson: false,
  }));
  const input = [...written, ...read];
  const into = `INSERT INTO ${tableOf(record)} (${written.map(({ column }) => column).join(', ')})`;
  return {
    name,
    input: Object.fromEntries(input.map(({ column, type }) => [column, type])),
    valuesOf: (row) => input.map(({ property, isJson }) => toValue(row[property], isJson)),
    main: (isOne, of) => {
      const row = written.map(({ column }) => of(column)).join(', ');
      // Not SELECT: Citus sends VALUES to the machine of their organization, and may fetch to the coordinator what is selected.
      return isOne ? `${into} VALUES (${row})` : `${into} SELECT ${row} FROM ${name}`;
    },
    texts,
    isChange: false,
  };
}

const KEY = { organization_id: 'uuid', mode: 'text', id: 'uuid' };

interface Amount {
  readonly key: readonly string[];
  readonly amount: number;
  /** What the column `seen` was when the change was decided. */
  readonly seen: boolean;
}

/** Changes amounts of the rows that the input names by their keys, if the column `seen` still is what it was. Those of one row add up. */
export function changeAmounts(
  name: string,
  table: string,
  seen: string,
  setsOf: (amount: string) => string,
): BatchedWrite<Amount> {
  const keys = Object.keys(KEY);
  const isOf = keys.map((column) => `${name}.${column} = ${table}.${column}`).join(' AND ');
  return {
    name,
    input: { ...KEY, amount: 'bigint', [seen]: 'boolean' },
    valuesOf: ({ key, amount, seen }) => [...key, amount, seen],
    // Sub-queries find the rows by their key. A join of so few takes a third longer, and PostgreSQL may read the whole table for it.
    main: (isOne, of) => {
      const amount = isOne
        ? of('amount')
        : `(SELECT sum(amount)::bigint FROM ${name} WHERE ${isOf})`;
      const found = keys.map(
        (key) => `${key} = ${isOne ? of(key) : `ANY (ARRAY(SELECT ${key} FROM ${name}))`}`,
      );
      const was = isOne
        ? of(seen)
        : `ALL (ARRAY(SELECT ${name}.${seen} FROM ${name} WHERE ${isOf}))`;
      return `UPDATE ${table} SET ${setsOf(amount)} WHERE ${found.join(' AND ')} AND ${table}.${seen} = ${was}`;
    },
    texts: [],
    isChange: true,
  };
}

export const NAMED = `count(DISTINCT (${Object.keys(KEY).join(', ')}))`;

/** One row of a write to the tables of one module. Those of several modules are parts of one statement. */
export interface StatementPart extends PartOptions {
  readonly name: string;
  /** Whose row it writes. Parts that are committed together have one owner. */
  readonly owner: Owner;
  readonly write: BatchedWrite;
  readonly values: Values;
  /** How many rows it must change; it is then sent alone. Any other number means that the state changed since it was read. */
  readonly rows?: number;
}

export interface PartOptions {
  /** Constraints whose violation means that the state changed since it was read. The use case then runs again. */
  readonly stale?: readonly string[];
  /** Whether it goes before all others, because a constraint refuses it most often. */
  readonly isFirst?: boolean;
}

export function partOf<Row>(
  owner: Owner,
  write: BatchedWrite<Row>,
  row: Row,
  options: PartOptions = {},
): StatementPart {
  return { name: write.name, owner, write, values: write.valuesOf(row), ...options };
}

function toValue(value: unknown, isJson: boolean): unknown {
  if (isJson) return value === null ? null : JSON.stringify(value);
  // pg would format a date in the process's time zone, which takes longer.
  return value instanceof Date ? value.toISOString() : value;
}
