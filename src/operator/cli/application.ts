import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../../app.module.js';
import { Units } from '../../persistence/units.js';
import type { Config } from '../../platform/config.js';
import type { Progress } from '../../platform/progress.js';
import type { Work } from '../../shared/unit.js';
import { commandAuthor } from '../author.js';
import { openMigratedDatabase } from '../process/open-database.js';
import { print, withDatabase } from './run.js';

export function withApplication(
  work: (application: INestApplicationContext, progress: Progress) => Promise<unknown>,
): Promise<void> {
  const inApplication = async (url: string, config: Config, progress: Progress) => {
    const module = AppModule.register(config, url, { timeLimits: false });
    const application = await NestFactory.createApplicationContext(module, {
      logger: false,
      abortOnError: false,
    });
    try {
      return await work(application, progress);
    } finally {
      await application.close();
    }
  };
  return withDatabase(inApplication, print, openMigratedDatabase);
}

/** Commits all that the use cases of operators add to the unit. */
export function committed<Result>(
  application: INestApplicationContext,
  use: (unit: Work) => Promise<Result>,
): Promise<Result> {
  return application.get(Units).commit({ queue: 'command' }, use, commandAuthor());
}
