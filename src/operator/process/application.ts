import { type DynamicModule, type NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyBaseLogger } from 'fastify';
import { AppModule, declarationsOf } from '../../app.module.js';
import type { Config } from '../../platform/config.js';
import type { ModuleDeclaration } from '../../platform/module-declaration.js';
import { TillgateAdapter } from '../../request/adapter.js';
import { ErrorResponses } from '../../request/errors.js';
import { openLog } from './log.js';

interface Parts {
  readonly log?: FastifyBaseLogger;
  readonly modules?: readonly ModuleDeclaration[];
  readonly isEmbedded?: boolean;
  readonly create?: (
    module: DynamicModule,
    adapter: TillgateAdapter,
    options: NestApplicationOptions,
  ) => Promise<NestFastifyApplication>;
}

/** Creates the service as it runs in production. It does not listen yet. */
export async function createApplication(
  config: Config,
  databaseUrl: string,
  {
    log: given,
    modules,
    isEmbedded = false,
    create = NestFactory.create.bind(NestFactory),
  }: Parts = {},
): Promise<NestFastifyApplication> {
  const log = given ?? (await openLog(config));
  const adapter = new TillgateAdapter(config, new ErrorResponses(declarationsOf(modules)), log);
  const module = AppModule.register(config, databaseUrl, {
    isEmbedded,
    ...(modules && { modules }),
  });
  // The caller prints an error of the start-up. Nest writes to the same log as everything else
  // after the start-up.
  const application = await create(module, adapter, {
    abortOnError: false,
    bodyParser: false,
    logger: false,
  });
  application.useLogger({
    log: (message: unknown, ...context: unknown[]) => log.debug({ context }, String(message)),
    warn: (message: unknown, ...context: unknown[]) => log.warn({ context }, String(message)),
    error: (message: unknown, ...context: unknown[]) => log.error({ context }, String(message)),
  });
  return application;
}
