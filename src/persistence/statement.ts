/** SQL whose parameters have names. Their numbers are counted, so that a fragment can stand anywhere, and twice. */
import type { Statement, Values } from './batch/prepared-query.js';

export { STATEMENTS } from './batch/prepared-query.js';

/** In a text, each stands for the place of its value. */
export type Places<Named> = { readonly [Name in keyof Named & string]-?: string };

export interface NamedStatement<Named> extends Statement {
  /** The statement, with the values at the numbers of their names. */
  of(values: Named): readonly [Statement, Values];
}

const MARKED = /\0(\w+)\0/g;
const PLACES = new Proxy({}, { get: (_, name) => `\0${String(name)}\0` });

/** The text is made once, when the module is loaded, where there are no values that it could contain. */
export function statement<Named>(
  name: string,
  write: (places: Places<Named>) => string,
): NamedStatement<Named> {
  const names: string[] = [];
  const text = write(PLACES as Places<Named>).replace(MARKED, (_, named: string) => {
    if (!names.includes(named)) names.push(named);
    return `$${names.indexOf(named) + 1}`;
  });
  const made = { name, text };
  return { ...made, of: (values) => [made, names.map((named) => values[named as keyof Named])] };
}
