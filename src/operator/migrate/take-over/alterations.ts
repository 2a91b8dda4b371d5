/** Makes the SQL that turns a table of 1.2.0 into the table of this version. */
import type { Catalog, Column, Constraint } from './catalog.js';

/**
 * These are the parts of one ALTER TABLE, which writes the table once. The constraints are apart,
 * because Citus adds one in a statement.
 */
export interface Alterations {
  readonly columns: readonly string[];
  readonly constraints: readonly string[];
}

export function alterationsOf(table: string, old: Catalog, target: Catalog): Alterations {
  const isOwn = (one: { readonly table: string }) => one.table === table;
  const before = old.columns.filter(isOwn);
  const after = target.columns.filter(isOwn);
  const enums = target.types.filter(({ kind }) => kind === 'enum').map(({ name }) => name);
  const changed = before.flatMap((was) => {
    const is = after.find(({ name }) => name === was.name);
    return changesOf(was, is, enums);
  });
  const isNew = (column: Column) => !before.some(({ name }) => name === column.name);
  const dropped = old.constraints.filter(isOwn).filter(isCheck);
  const added = target.constraints.filter(isOwn).filter(isCheck);
  return {
    columns: [
      ...dropped.map(({ name }) => `DROP CONSTRAINT ${name}`),
      ...changed,
      ...after.filter(isNew).map(additionOf),
    ],
    constraints: added.map(({ name, definition }) => `ADD CONSTRAINT ${name} ${definition}`),
  };
}

const isCheck = ({ kind }: Constraint) => kind === 'check';

function changesOf(was: Column, is: Column | undefined, enums: readonly string[]): string[] {
  if (is === undefined) return [`DROP COLUMN ${was.name}`];
  const { name, type, standard } = is;
  const isOtherType = type !== was.type;
  const isOtherStandard = isOtherType || standard !== was.standard;
  const changes: string[] = [];
  // A default of the old type would have to be cast to the new one.
  if (was.standard !== null && isOtherStandard) changes.push(`ALTER ${name} DROP DEFAULT`);
  if (isOtherType) {
    const using = enums.includes(type) ? ` USING ${name}::text::${type}` : '';
    changes.push(`ALTER ${name} TYPE ${type}${collated(is)}${using}`);
  }
  if (standard !== null && isOtherStandard) changes.push(`ALTER ${name} SET DEFAULT ${standard}`);
  if (is.isRequired && !was.isRequired) changes.push(`ALTER ${name} SET NOT NULL`);
  return changes;
}

function additionOf(column: Column): string {
  const { name, type, standard, isRequired } = column;
  const standardValue = standard === null ? '' : ` DEFAULT ${standard}`;
  const required = isRequired ? ' NOT NULL' : '';
  return `ADD COLUMN ${name} ${type}${collated(column)}${standardValue}${required}`;
}

function collated({ collation }: Column): string {
  return collation === null ? '' : ` COLLATE ${collation}`;
}
