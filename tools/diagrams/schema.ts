/**
 * `node dist/tools/diagrams/schema.js <database URL>`: prints the tables of a migrated database as
 * a Mermaid diagram, from PostgreSQL's catalog. docs/operate/schema.md shows it.
 */
import {
  type Catalog,
  type Column,
  readCatalog,
} from '../../src/operator/migrate/take-over/catalog.js';
import { createMigrationDataSource } from '../../src/persistence/data-source.js';

const SHORT: Readonly<Record<string, string>> = { 'timestamp with time zone': 'timestamptz' };

function schemaDiagram(catalog: Catalog): string {
  const tables = catalog.tables.flatMap(({ name }) => [
    `  ${name} {`,
    ...catalog.columns.filter(({ table }) => table === name).map((one) => lineOf(one, catalog)),
    '  }',
  ]);
  return ['erDiagram', ...tables, ...referencesIn(catalog)].join('\n');
}

/** A column that may be null has a question mark, as a comment. */
function lineOf({ table, name, type, isRequired }: Column, { constraints }: Catalog): string {
  const own = constraints.filter((constraint) => constraint.table === table);
  const isIn = (kind: string) =>
    own.some((one) => one.kind === kind && columnsOf(one.definition).includes(name));
  const keys = [isIn('primary key') ? 'PK' : '', isIn('foreign key') ? 'FK' : ''].filter(Boolean);
  const key = keys.length > 0 ? ` ${keys.join(', ')}` : '';
  return `    ${SHORT[type] ?? type} ${name}${key}${isRequired ? '' : ' "?"'}`;
}

function referencesIn({ constraints }: Catalog): string[] {
  return constraints
    .filter(({ kind }) => kind === 'foreign key')
    .map(({ table, definition }) => {
      const [, parent] = /REFERENCES (\w+)\(/.exec(definition) ?? [];
      const columns = columnsOf(definition);
      // The organization and the mode are in every key.
      const label = columns.length === 1 ? columns : columns.slice(2);
      return `  ${parent} ||--o{ ${table} : "${label.join(', ')}"`;
    });
}

const columnsOf = (definition: string): readonly string[] =>
  /\(([^()]+)\)/.exec(definition)?.[1]?.split(', ') ?? [];

const [url = ''] = process.argv.slice(2);
const dataSource = await createMigrationDataSource(url).initialize();
const catalog = await readCatalog(dataSource.createQueryRunner(), 'public');
await dataSource.destroy();
console.log(schemaDiagram(catalog));
