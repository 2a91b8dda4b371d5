/** The OID of `text`, which is the same in every database. */
const TEXT = 25;
const HEADER_BYTES = 20;

/** A `text[]` in PostgreSQL's binary format. In its text format, each quote of JSON would be escaped, and then escaped again. */
export function textArray(values: readonly (string | null)[]): Buffer {
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
