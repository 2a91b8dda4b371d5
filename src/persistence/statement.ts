/**
 * Makes SQL whose parameters have names. Their numbers are counted, so that a fragment can stand
 * anywhere, and twice.
 */
import type { Statement, Values } from './batch/prepared-query.js';

export { STATEMENTS } from './batch/prepared-query.js';

/** In the text of a statement, each name stands for the place of its value. */
export type Places<Named> = { readonly [Name in keyof Named & string]-?: string };

export interface NamedStatement<Named> extends Statement {
  /** Returns the statement, with the values at the numbers of their names. */
  of(values: Named): readonly [Statement, Values];
}

/**
 * Makes the text once, when the module is loaded. No values exist at that time, so the text cannot
 * contain any.
 */
export function statement<Named>(
  name: string,
  write: (places: Places<Named>) => string,
): NamedStatement<Named> {
  const [text, names] = numbered(name, write);
  return named({ name, text }, names);
}

/**
 * Makes a statement that finds a row by its `id`, which the text compares with `=`. Runs of several
 * requests that differ only in the ID are sent as one run of a second statement, which has the same
 * text but for the ID. The text selects the column `id`, locks nothing and has no LIMIT, and the
 * value is 32 hexadecimal digits, as `uuidOf` returns them.
 */
export function findById<Named extends { readonly id: string }>(
  name: string,
  write: (places: Places<Named>) => string,
): NamedStatement<Named> {
  const many = `${name}_many`;
  const [text, names] = numbered(name, write);
  const [textOfMany] = numbered<Named>(many, (places) =>
    write(Object.create(places, { id: { get: () => `ANY (${places.id}::uuid[])` } })),
  );
  const findMany = { statement: { name: many, text: textOfMany }, index: names.indexOf('id') };
  return named({ name, text, findMany }, names);
}

function named<Named>(
  made: Statement,
  names: readonly (keyof Named & string)[],
): NamedStatement<Named> {
  return { ...made, of: (values) => [made, names.map((name) => values[name])] };
}

/**
 * Returns the text with numbered places, and their names in the order of the numbers. Throws when
 * the text has no place for a value that `write` asked for, because PostgreSQL would refuse each
 * run.
 */
function numbered<Named>(
  name: string,
  write: (places: Places<Named>) => string,
): [text: string, names: readonly (keyof Named & string)[]] {
  const numbers = new Map<keyof Named & string, number>();
  const placeOf = (named: keyof Named & string): string => {
    const number = numbers.get(named) ?? numbers.size + 1;
    numbers.set(named, number);
    return `$${number}`;
  };
  const places = new Proxy({}, { get: (_, named) => placeOf(named as keyof Named & string) });
  const text = write(places as Places<Named>);
  const names = [...numbers.keys()];
  const unused = names.filter((named) => !new RegExp(`\\${placeOf(named)}(?!\\d)`).test(text));
  if (unused.length > 0) throw new Error(`${name} has no place for ${unused.join(', ')}.`);
  return [text, names];
}
