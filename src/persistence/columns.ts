/**
 * Builds SQL from TypeORM's metadata, so that a column is named only in its record. It needs no
 * connection.
 */
import { getMetadataArgsStorage } from 'typeorm';

export type Record<Row> = new () => Row;

/**
 * Returns a select list with each column under the name of its property. If `only` is left out, the
 * list has all columns but the organization.
 */
export function selectionOf<Row extends object>(
  record: Record<Row>,
  read: Partial<{ readonly [Property in keyof Row]: string }> = {},
  only?: readonly (keyof Row)[],
): string {
  return columnsOf(record)
    .filter(({ property }) => (only ? only.includes(property) : property !== 'organizationId'))
    .map(({ property, column }) => `${read[property] ?? column} AS "${String(property)}"`)
    .join(', ');
}

interface Column<Row> {
  readonly property: keyof Row;
  readonly column: string;
  /** This is the name of the type in SQL. For a domain, it is the type below it. */
  readonly type: string;
  /** These are the members of an enum in their order. Other types have none. */
  readonly members: readonly string[];
  readonly isPrimary: boolean;
  readonly isJson: boolean;
}

export function columnsOf<Row extends object>(record: Record<Row>): readonly Column<Row>[] {
  const { columns } = getMetadataArgsStorage();
  const own = columns.filter(({ target }) => target === record);
  return own.map(({ propertyName, options }) => ({
    property: propertyName as keyof Row,
    column: options.name ?? propertyName,
    type: `${options.enumName ?? options.type}${options.array ? '[]' : ''}`,
    members: (options.enum ?? []) as readonly string[],
    isPrimary: options.primary ?? false,
    // pg would send an array as an array of PostgreSQL, so JSON is made here.
    isJson: options.type === 'json',
  }));
}

export function tableOf<Row extends object>(record: Record<Row>): string {
  const name = getMetadataArgsStorage().tables.find(({ target }) => target === record)?.name;
  if (name === undefined) throw new Error(`${record.name} is not an entity.`);
  return name;
}
