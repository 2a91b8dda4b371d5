import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  openEmbeddedPostgres,
} from '../embedded-postgres/embedded-postgres.js';
import { assertReady, migrate } from '../migrate/migrate.js';
import type { Config } from '../platform/config.js';

/** For command lines and whoever looks into it, beside what the service's own processes hold. */
const OTHER_CONNECTIONS = 30;

type Options = Pick<EmbeddedPostgresOptions, 'role' | 'say'>;

export async function openDatabase(
  { databaseUrl, dataDir, databasePoolSize, webConcurrency }: Config,
  options: Options,
): Promise<EmbeddedPostgres> {
  if (databaseUrl !== undefined) return { url: databaseUrl, close: () => Promise.resolve() };
  // A restart of several processes has one more for a while.
  const processes = webConcurrency === 1 ? 1 : webConcurrency + 1;
  return openEmbeddedPostgres({ ...options, dataDir, connections: processes * databasePoolSize + OTHER_CONNECTIONS });
}

/** Migrates the embedded database; any other is only checked, because migrating it is its operator's decision. */
export async function openMigratedDatabase(config: Config, options: Options): Promise<EmbeddedPostgres> {
  const database = await openDatabase(config, options);
  try {
    if (config.databaseUrl === undefined) await migrate(database.url);
    else await assertReady(database.url);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
