import type { Config } from '../../platform/config.js';
import {
  type EmbeddedPostgres,
  openEmbeddedPostgres,
} from '../embedded-postgres/embedded-postgres.js';
import { assertReady, migrate } from '../migrate/migrate.js';

type Options = Omit<Parameters<typeof openEmbeddedPostgres>[0], 'dataDir'>;

export async function openDatabase(
  { databaseUrl, dataDir }: Config,
  options: Options,
): Promise<EmbeddedPostgres> {
  if (databaseUrl !== undefined) return { url: databaseUrl, close: () => Promise.resolve() };
  return openEmbeddedPostgres({ ...options, dataDir });
}

export async function openMigratedDatabase(
  config: Config,
  options: Options,
): Promise<EmbeddedPostgres> {
  return migrated(config, await openDatabase(config, options));
}

/**
 * Migrates the embedded database. Any other database is only checked, because its operator decides
 * when to migrate it.
 */
export async function migrated(
  config: Config,
  database: EmbeddedPostgres,
): Promise<EmbeddedPostgres> {
  try {
    if (config.databaseUrl === undefined) await migrate(database.url);
    else await assertReady(database.url);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
