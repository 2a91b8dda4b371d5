/** Compares the storage parameters of the tables with those of the target. */
import type { Catalog } from './catalog.js';

/** Throws with the statements that make the storage parameters those of the target. */
export function requireOwnParameters(old: Catalog, target: Catalog): void {
  const statements = old.tables.flatMap(({ name, options: found }) => {
    const own = target.tables.find((table) => table.name === name);
    return own === undefined ? [] : statementsOf(name, found ?? [], own.options ?? []);
  });
  if (statements.length === 0) return;
  throw new Error(
    'Tables have storage parameters that differ from those of Tillgate. Nothing was changed. Run ' +
      `this, and then \`tillgate migrate\` again: ${statements.join(' ')}`,
  );
}

/** An option has the form `fillfactor=80`. */
function statementsOf(
  table: string,
  found: readonly string[],
  expected: readonly string[],
): readonly string[] {
  const expectedNames = expected.map(nameOf);
  const surplus = found.map(nameOf).filter((name) => !expectedNames.includes(name));
  const missing = expected.filter((option) => !found.includes(option));
  const statements: string[] = [];
  if (surplus.length > 0) statements.push(`ALTER TABLE ${table} RESET (${surplus.join(', ')});`);
  if (missing.length > 0) statements.push(`ALTER TABLE ${table} SET (${missing.join(', ')});`);
  return statements;
}

const nameOf = (option: string): string => option.slice(0, option.indexOf('='));
