/**
 * A batched write is a row that is written together with rows of other requests. One SQL text
 * serves a single row and many rows (docs/explain/batch.md).
 */

import type { Owner } from '../../shared/caller.js';
import { columnsOf, type Record, tableOf } from '../columns.js';
import type { Values } from './prepared-query.js';

/** Makes SQL over the rows of a write: `input` is a relation with the columns of the write. */
export type TextOfRows = (input: string) => string;

/** A batched write has an input and the SQL that is written from the rows of the input. */
export interface BatchedWrite<Row = never> {
  readonly name: string;
  readonly input: ColumnTypes;
  valuesOf(row: Row): readonly unknown[];
  /**
   * Makes the SQL for one row or for many. `of` gives the SQL of a column, which is its placeholder
   * if there is one row.
   */
  main(isOne: boolean, of: (column: string) => string): string;
  readonly texts: readonly TextOfRows[];
  /**
   * This is true if the write changes rows, and so locks them. It must then change exactly the rows
   * that the input names.
   */
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
      // One row is written with VALUES, not with SELECT. Citus sends VALUES to the machine of their
      // organization, but may fetch selected rows to the coordinator.
      return isOne ? `${into} VALUES (${row})` : `${into} SELECT ${row} FROM ${name}`;
    },
    texts,
    isChange: false,
  };
}

const KEY = { organization_id: 'uuid', mode: 'mode', id: 'uuid' };

interface Amount {
  readonly key: readonly string[];
  readonly amount: number;
  /** The column `seen` had this value when the change was decided. */
  readonly seen: boolean;
}

/**
 * Changes amounts of the rows that the input names by their keys, if the column `seen` still has
 * the value that it had. Amounts for the same row are added up.
 */
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
    // Sub-queries find the rows by their key. A join with so few rows takes a third longer, and
    // PostgreSQL may read the whole table for it.
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
      const condition = `${found.join(' AND ')} AND ${table}.${seen} = ${was}`;
      return `UPDATE ${table} SET ${setsOf(amount)} WHERE ${condition}`;
    },
    texts: [],
    isChange: true,
  };
}

export const NAMED = `count(DISTINCT (${Object.keys(KEY).join(', ')}))`;

/**
 * A part writes one row to the tables of one module. Parts of several modules make one statement.
 */
export interface StatementPart extends PartOptions {
  readonly name: string;
  /** The part writes a row of this owner. Parts that are committed together have one owner. */
  readonly owner: Owner;
  readonly write: BatchedWrite;
  readonly values: Values;
  /**
   * The part must change this many rows, and is then sent alone. Any other number means that the
   * state has changed since it was read.
   */
  readonly rows?: number;
}

export interface PartOptions {
  /**
   * A violation of one of these constraints means that the state has changed since it was read. The
   * use case then runs again.
   */
  readonly stale?: readonly string[];
  /** The part goes before all others, because a constraint refuses it most often. */
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
  // A date is sent as text, because pg would format it in the time zone of the process, which takes
  // longer.
  return value instanceof Date ? value.toISOString() : value;
}
