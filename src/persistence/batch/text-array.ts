// @ts-expect-error: pg's own cursor takes it from there too, but @types/pg does not have it.
import { prepareValue } from 'pg/lib/utils.js';

/** This is the OID of `text`, which is the same in every database. */
const TEXT = 25;
const HEADER_BYTES = 20;

export function textArrays(rows: readonly (readonly unknown[])[]): Buffer[] {
  return (rows[0] ?? []).map((_, index) => textArray(rows.map((row) => textOf(row[index]))));
}

function textOf(value: unknown): string | null {
  const prepared: string | Buffer | null = prepareValue(value);
  return Buffer.isBuffer(prepared) ? `\\x${prepared.toString('hex')}` : prepared;
}

/**
 * Returns a `text[]` in PostgreSQL's binary format. The text format would escape each quote of
 * JSON, and then escape it again.
 */
function textArray(values: readonly (string | null)[]): Buffer {
  let size = HEADER_BYTES;
  for (const value of values) size += 4 + (value === null ? 0 : Buffer.byteLength(value));
  const array = Buffer.allocUnsafe(size);
  let end = 0;
  for (const number of [1, 1, TEXT, values.length, 1]) end = array.writeInt32BE(number, end);
  for (const value of values) {
    const length = value === null ? -1 : array.write(value, end + 4);
    end = array.writeInt32BE(length, end) + Math.max(length, 0);
  }
  return array;
}
