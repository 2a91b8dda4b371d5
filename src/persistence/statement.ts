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
 * contain any. Throws when the text has no place for a value that `write` asked for, because
 * PostgreSQL would refuse each run.
 */
export function statement<Named>(
  name: string,
  write: (places: Places<Named>) => string,
): NamedStatement<Named> {
  const numbers = new Map<keyof Named, number>();
  const placeOf = (named: keyof Named): string => {
    const number = numbers.get(named) ?? numbers.size + 1;
    numbers.set(named, number);
    return `$${number}`;
  };
  const places = new Proxy({}, { get: (_, named) => placeOf(named as keyof Named) });
  const made = { name, text: write(places as Places<Named>) };
  const names = [...numbers.keys()];
  const unused = names.filter((named) => !new RegExp(`\\${placeOf(named)}(?!\\d)`).test(made.text));
  if (unused.length > 0) throw new Error(`${name} has no place for ${unused.join(', ')}.`);
  return { ...made, of: (values) => [made, names.map((named) => values[named])] };
}
