/** SQL by the records' own mapping, so that a column is named once: in its record. Needs no connection. */
import { getMetadataArgsStorage } from 'typeorm';
import { insertText, type Part } from './statement.js';

type Record<Row> = new () => Row;

/** A part that inserts one row with all columns of its record. */
export function insertInto<Row extends object>(name: string, record: Record<Row>): (row: Row) => Part {
  const columns = columnsOf(record);
  const sql = insertText(
    tableOf(record),
    columns.map(({ column }) => column),
  );
  return (row) => ({ name, sql, values: columns.map(({ property, isJson }) => toValue(row[property], isJson)) });
}

function toValue(value: unknown, isJson: boolean): unknown {
  if (isJson) return JSON.stringify(value);
  // pg writes a date in the process's time zone, digit by digit.
  return value instanceof Date ? value.toISOString() : value;
}

interface Column<Row> {
  readonly property: keyof Row;
  readonly column: string;
  readonly isJson: boolean;
}

function columnsOf<Row extends object>(record: Record<Row>): readonly Column<Row>[] {
  const columns = getMetadataArgsStorage().columns.filter(({ target }) => target === record);
  return columns.map(({ propertyName, options }) => ({
    property: propertyName as keyof Row,
    column: options.name ?? propertyName,
    // pg takes an array for one of PostgreSQL's.
    isJson: options.type === 'json',
  }));
}

function tableOf<Row extends object>(record: Record<Row>): string {
  const name = getMetadataArgsStorage().tables.find(({ target }) => target === record)?.name;
  if (name === undefined) throw new Error(`${record.name} is no entity.`);
  return name;
}
