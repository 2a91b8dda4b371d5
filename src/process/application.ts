import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from '../app.module.js';
import type { Config } from '../platform/config.js';
import { TillgateAdapter } from '../platform/http/adapter.js';
import { openLog } from './log.js';

/** The service as it runs in production, not yet listening. */
export async function createApplication(config: Config, databaseUrl: string): Promise<NestFastifyApplication> {
  const log = await openLog(config);
  const adapter = new TillgateAdapter(config, log);
  const module = AppModule.register(config, databaseUrl);
  // Whoever called prints what went wrong at start-up; from then on everything goes to one log.
  const options = { abortOnError: false, bodyParser: false, logger: false } as const;
  const application = await NestFactory.create<NestFastifyApplication>(module, adapter, options);
  application.useLogger({
    log: (message: unknown, ...context: unknown[]) => log.debug({ context }, String(message)),
    warn: (message: unknown, ...context: unknown[]) => log.warn({ context }, String(message)),
    error: (message: unknown, ...context: unknown[]) => log.error({ context }, String(message)),
  });
  return application;
}
