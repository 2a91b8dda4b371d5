/** What the migrated schema must be, written down a second time by the owner of each table. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export interface Schema {
  /** An organization's rows lie together, so that its reads touch few pages and a distributed database can place them. */
  readonly tenantTables?: readonly string[];
  readonly otherTables?: readonly string[];
  /** What a background job or the ledger walks through for all organizations together. */
  readonly indexesAcrossTenants?: readonly string[];
  /** Every column that may be without a value; no other may. */
  readonly nullable?: readonly string[];
  /** Every smallint, and why it never needs more room. */
  readonly narrow?: Readonly<Record<string, string>>;
  /** Everything a write relies on the database to refuse, but for the checks. */
  readonly keys: Readonly<Record<string, string>>;
  /** The keys of columns that may be without a value: rows that have none are not in the index. */
  readonly partialKeys?: Readonly<Record<string, string>>;
}

const FOLDER = 'test/architecture/schema';

export async function readSchemas() {
  const files = readdirSync(FOLDER).map((file) => join('../..', FOLDER, file.replace(/\.ts$/, '.js')));
  const modules = await Promise.all(files.map((file) => import(file) as Promise<{ SCHEMA: Schema }>));
  const schemas = modules.map(({ SCHEMA }) => SCHEMA);
  const tenantTables = schemas.flatMap((schema) => schema.tenantTables ?? []);
  return {
    tenantTables,
    tables: [...tenantTables, ...schemas.flatMap(({ otherTables = [] }) => otherTables)].sort(),
    indexesAcrossTenants: schemas.flatMap((schema) => schema.indexesAcrossTenants ?? []).sort(),
    nullable: schemas.flatMap(({ nullable = [] }) => nullable).sort(),
    narrow: Object.assign({}, ...schemas.map(({ narrow }) => narrow)) as Record<string, string>,
    keys: Object.assign({}, ...schemas.map(({ keys }) => keys)) as Record<string, string>,
    partialKeys: Object.assign({}, ...schemas.map(({ partialKeys }) => partialKeys)) as Record<string, string>,
  };
}
