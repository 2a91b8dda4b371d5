/** The OID of `text`, which is the same in every database. */
const TEXT = 25;
const HEADER_BYTES = 20;

/** A `text[]` in PostgreSQL's binary format. In its text format, each quote of JSON would be escaped, and then escaped again. */
export function textArray(values: readonly (string | null)[]): Buffer {
  let size = HEADER_BYTES;
  const lengths = values.map((value) => {
    const length = value === null ? -1 : Buffer.byteLength(value);
    size += 4 + Math.max(length, 0);
    return length;
  });
  const array = Buffer.allocUnsafe(size);
  let end = [1, 1, TEXT, values.length, 1].reduce((at, number) => array.writeInt32BE(number, at), 0);
  for (const [index, value] of values.entries()) {
    end = array.writeInt32BE(lengths[index] as number, end);
    if (value !== null) end += array.write(value, end);
  }
  return array;
}
