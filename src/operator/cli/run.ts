import { resolve } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../../app.module.js';
import { Database } from '../../persistence/database.js';
import { type Config, readConfig } from '../../platform/config.js';
import { holdsDatabase } from '../embedded-postgres/embedded-postgres.js';
import { openDatabase, openMigratedDatabase } from '../process/open-database.js';
import { onStopSignal } from '../process/stop-signals.js';

export function withApplication(
  work: (application: INestApplicationContext) => Promise<unknown>,
): Promise<void> {
  const inApplication = async (url: string, config: Config) => {
    const module = AppModule.register(config, url, { timeLimits: false });
    const application = await NestFactory.createApplicationContext(module, {
      logger: false,
      abortOnError: false,
    });
    try {
      return await work(application);
    } finally {
      await application.close();
    }
  };
  return withDatabase(inApplication, print, openMigratedDatabase);
}

/** What use cases write in the open transaction is committed together. */
export function committed<Result>(
  application: INestApplicationContext,
  work: () => Promise<Result>,
): Promise<Result> {
  return application.get(Database).run({ queue: 'command' }, work);
}

export async function withDatabase<Result>(
  work: (url: string, config: Config) => Promise<Result>,
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
  try {
    show(await work(database.url, config));
  } finally {
    await database.close();
  }
}

/** Said before a new database is made, because a forgotten DATABASE_URL or a mistyped DATA_DIR would make one, too. */
export function aboutNewDatabase({ databaseUrl, dataDir }: Config, then = 'one is made'): string {
  if (databaseUrl !== undefined || holdsDatabase(dataDir)) return '';
  return `DATABASE_URL is not set, and DATA_DIR, ${resolve(dataDir)}, has no database: ${then}.\n`;
}

export function print(result: unknown): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
