/** SQL by the records' own mapping, so that a column is named once: in its record. Needs no connection. */
import { getMetadataArgsStorage } from 'typeorm';
import { insertText, type Part } from './statement.js';

type Record<Row> = new () => Row;

/** A part that inserts one row with all columns of its record. */
export function insertInto<Row extends object>(name: string, record: Record<Row>): (row: Row) => Part {
  const columns = columnsOf(record);
  const properties = [...columns.keys()] as (keyof Row)[];
  const sql = insertText(tableOf(record), [...columns.values()]);
  return (row) => ({ name, sql, values: properties.map((property) => row[property]) });
}

/** The names of a record's columns by its properties, in the order of their declaration. */
function columnsOf<Row extends object>(record: Record<Row>): ReadonlyMap<string, string> {
  const columns = getMetadataArgsStorage().columns.filter(({ target }) => target === record);
  return new Map(columns.map(({ propertyName, options }) => [propertyName, options.name ?? propertyName]));
}

function tableOf<Row extends object>(record: Record<Row>): string {
  const name = getMetadataArgsStorage().tables.find(({ target }) => target === record)?.name;
  if (name === undefined) throw new Error(`${record.name} is no entity.`);
  return name;
}
