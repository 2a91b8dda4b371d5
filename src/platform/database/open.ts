import type { Config } from '../config.js';
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, openEmbeddedPostgres } from './embedded-postgres.js';
import { assertMigrated, migrate } from './migrate.js';

/** The configured database, running. Its schema may be missing or out of date. */
export async function openDatabase(
  { databaseUrl, dataDir }: Config,
  options: Omit<EmbeddedPostgresOptions, 'dataDir'>,
): Promise<EmbeddedPostgres> {
  if (databaseUrl === undefined) return openEmbeddedPostgres({ dataDir, ...options });
  return { url: databaseUrl, close: () => Promise.resolve() };
}

/**
 * The same, with the schema as this version needs it: the embedded database is brought up to date, any other is only
 * checked, because migrating is its operator's decision.
 */
export async function openMigratedDatabase(
  config: Config,
  options: Omit<EmbeddedPostgresOptions, 'dataDir'>,
): Promise<EmbeddedPostgres> {
  const database = await openDatabase(config, options);
  try {
    if (config.databaseUrl === undefined) await migrate(database.url);
    else await assertMigrated(database.url);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
