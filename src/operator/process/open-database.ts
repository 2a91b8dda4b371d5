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
  const database = await openDatabase(config, options);
  try {
    await bringUpToDate(config, database.url);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Migrates the embedded database. Any other database is only checked, because its operator decides
 * when to migrate it.
 */
export async function bringUpToDate({ databaseUrl }: Config, url: string): Promise<void> {
  if (databaseUrl === undefined) await migrate(url);
  else await assertReady(url);
}
