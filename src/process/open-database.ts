import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  openEmbeddedPostgres,
} from '../embedded-postgres/embedded-postgres.js';
import { assertReady, migrate } from '../migrate/migrate.js';
import type { Config } from '../platform/config.js';

/** Connections for commands and other programs, in addition to those of the service's own processes. */
const OTHER_CONNECTIONS = 30;

type Options = Pick<EmbeddedPostgresOptions, 'role' | 'say'>;

export async function openDatabase(
  { databaseUrl, dataDir, databasePoolSize, webConcurrency }: Config,
  options: Options,
): Promise<EmbeddedPostgres> {
  if (databaseUrl !== undefined) return { url: databaseUrl, close: () => Promise.resolve() };
  // During a restart there is one process more.
  const processes = webConcurrency === 1 ? 1 : webConcurrency + 1;
  return openEmbeddedPostgres({ ...options, dataDir, connections: processes * databasePoolSize + OTHER_CONNECTIONS });
}

/** Migrates the embedded database. Any other is only checked, because its operator decides when to migrate it. */
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
