/**
 * Finds the encrypted columns in TypeORM's metadata, and makes the SQL that reads and replaces
 * their values.
 */

import { FIRST_UUID } from '../../shared/id.js';
import { columnsOf, type Record, tableOf } from '../columns.js';
import type { PlainStatement } from '../database.js';
import type { Sealed } from './encryption.js';

const PAGE = 1_000;

const marked: {
  readonly record: Record<object>;
  readonly property: string | symbol;
  readonly expires: boolean;
}[] = [];

/**
 * Marks a column with encrypted values, for `tillgate reencrypt`. A text column may also have
 * values that are not encrypted. `expires` says that its rows are kept for hours only, so that
 * nothing lasting is lost with their key.
 */
export function Encrypted({ expires = false } = {}): PropertyDecorator {
  return (prototype, property) => {
    marked.push({ record: prototype.constructor as Record<object>, property, expires });
  };
}

interface Value {
  readonly key: readonly string[];
  readonly sealed: Sealed;
}

export type Look = <Row extends object>(
  statement: PlainStatement,
  values: readonly unknown[],
) => Promise<Row[]>;

type EncryptedColumn = ReturnType<typeof encryptedColumns>[number];

export async function* valuesIn(
  { look, start }: EncryptedColumn,
  read: Look,
): AsyncGenerator<Value> {
  for (let after: readonly string[] | undefined = start; after; ) {
    const page: Value[] = await read<Value>(look, after);
    yield* page;
    after = page.at(-1)?.key;
  }
}

export function encryptedColumns() {
  return marked.map(({ record, property, expires }) => {
    const [table, columns] = [tableOf(record), columnsOf(record)];
    const key = columns.filter(({ isPrimary }) => isPrimary);
    const [{ column, type }] = columns.filter((one) => one.property === property) as [
      (typeof columns)[number],
    ];
    const names = key.map((one) => one.column);
    const places = names.map((_, index) => `$${index + 1}`);
    const [value, renewed] = [`$${names.length + 1}`, `$${names.length + 2}`];
    const keyTexts = names.map((name) => `${name}::text`);
    const isEncrypted = type === 'text' ? `${column} LIKE 'encrypted:%'` : `${column} IS NOT NULL`;
    const isSameRow = names.map((name, index) => `${name} = ${places[index]}`).join(' AND ');
    return {
      expires,
      start: key.map(({ type, members: [first = ''] }) => (type === 'uuid' ? FIRST_UUID : first)),
      count: {
        name: `encryption.count ${table} ${column}`,
        text: `/* every organization: any of them may have values under an older key */
        SELECT count(*) AS values FROM ${table} WHERE ${isEncrypted}`,
      },
      /** Reads a page of the values after a key, in the order of the keys. */
      look: {
        name: `encryption.look ${table} ${column}`,
        text: `/* every organization: any of them may have values under an older key */
        SELECT ARRAY[${keyTexts}] AS key, ${column} AS sealed FROM ${table}
        WHERE (${names}) > (${places}) AND ${isEncrypted}
        ORDER BY ${names} LIMIT ${PAGE}`,
      },
      /** Replaces a value if it has not changed. */
      replace: {
        name: `encryption.replace ${table} ${column}`,
        text: `UPDATE ${table} SET ${column} = ${renewed}
        WHERE ${isSameRow} AND ${column} = ${value}`,
      },
    };
  });
}
