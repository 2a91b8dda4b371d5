import { resolve } from 'node:path';
import { type Config, readConfig } from '../../platform/config.js';
import { Progress } from '../../platform/progress.js';
import { holdsDatabase } from '../embedded-postgres/embedded-postgres.js';
import { openDatabase } from '../process/open-database.js';
import { onStopSignal } from '../process/stop-signals.js';

/** Shows the result on stdout. The work may say on stderr how far it has come. */
export async function withDatabase<Result>(
  work: (url: string, config: Config, progress: Progress) => Promise<Result>,
  show: (result: Result) => void = print,
  open = openDatabase,
): Promise<void> {
  const config = readConfig(process.env);
  process.stderr.write(aboutNewDatabase(config));
  const opening = open(config, { role: 'command' });
  onStopSignal(
    () => void opening.then((database) => database.close()).finally(() => process.exit(1)),
  );
  const database = await opening;
  const progress = new Progress();
  try {
    const result = await work(database.url, config, progress);
    progress.end();
    show(result);
  } finally {
    progress.end();
    await database.close();
  }
}

/**
 * Warns before a new database is made. An operator may have forgotten DATABASE_URL or mistyped
 * DATA_DIR, and would get a new database instead of an error.
 */
export function aboutNewDatabase({ databaseUrl, dataDir }: Config, then = 'one is made'): string {
  if (databaseUrl !== undefined || holdsDatabase(dataDir)) return '';
  return `DATABASE_URL is not set, and DATA_DIR, ${resolve(dataDir)}, has no database: ${then}.\n`;
}

export function print(result: unknown): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
