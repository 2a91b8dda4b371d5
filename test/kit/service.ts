/**
 * The service runs as in production, through the Nest testing module, on a database of its own and
 * a real socket.
 */
import type { AddressInfo } from 'node:net';
import type { Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { FastifyBaseLogger } from 'fastify';
import { Client } from 'pg';
import { createApplication } from '../../src/operator/process/application.js';
import { type Config, readConfig } from '../../src/platform/config.js';
import type { ModuleDeclaration } from '../../src/platform/module-declaration.js';
import { Clock } from '../../src/shared/clock.js';
import { createDatabase, serverUrl } from '../support/postgres.js';
import { watchConnections } from '../support/second-connections.js';
import { watchStatements } from '../support/tenant-statements.js';

export interface Service {
  readonly url: string;
  readonly application: NestFastifyApplication;
  /** This connection is the test's own, with which it looks at the database and changes it. */
  readonly sql: Client;
  readonly databaseUrl: string;
  close(): Promise<void>;
}

export interface ServiceOptions {
  readonly config?: Partial<Config>;
  /** Turns on, on the tests' database, what the service does on its embedded database only. */
  readonly isEmbedded?: boolean;
  /** The database of a running service, of which this becomes another instance. */
  readonly databaseUrl?: string;
  readonly clock?: Clock;
  readonly log?: FastifyBaseLogger;
  /** The test's own modules run beside those of the service. */
  readonly modules?: readonly Type[];
  /** These modules replace production's, where a test needs fewer. */
  readonly declared?: readonly ModuleDeclaration[];
  /** These providers replace production's. */
  readonly overrides?: readonly (readonly [token: unknown, value: unknown])[];
}

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const database = options.databaseUrl
    ? { url: options.databaseUrl, drop: async () => undefined }
    : await createDatabase();
  const config = { ...readConfig({ LOG_LEVEL: 'silent', PORT: '0' }), ...options.config };
  const { log, clock, declared, isEmbedded = false, modules = [], overrides = [] } = options;
  const application = await createApplication(config, ofService(database.url), {
    isEmbedded,
    ...(log && { log }),
    ...(declared && { modules: declared }),
    create: async (module, adapter, nestOptions) => {
      const builder = Test.createTestingModule({ imports: [module, ...modules] });
      if (clock) builder.overrideProvider(Clock).useValue(clock);
      for (const [token, value] of overrides) builder.overrideProvider(token).useValue(value);
      return (await builder.compile()).createNestApplication<NestFastifyApplication>(
        adapter,
        nestOptions,
      );
    },
  });
  await application.listen(0, '127.0.0.1').catch(async (error: unknown) => {
    await application.close();
    throw error;
  });
  const { port } = application.getHttpServer().address() as AddressInfo;
  const sql = new Client({ connectionString: database.url });
  sql.on('error', () => undefined);
  await sql.connect();
  const checkStatements = await watchStatements(application, sql);
  const checkConnections = watchConnections(application);
  return {
    url: `http://127.0.0.1:${port}`,
    application,
    sql,
    databaseUrl: database.url,
    close: async () => {
      await application.close();
      await sql.end();
      await database.drop();
      await checkStatements();
      checkConnections();
    },
  };
}

/**
 * Returns the URL with the role of the service, if the database is on the PostgreSQL that has this
 * role.
 */
function ofService(databaseUrl: string): string {
  const role = process.env.TEST_SERVICE_ROLE;
  const url = new URL(databaseUrl);
  if (!role || url.host !== new URL(serverUrl()).host) return databaseUrl;
  return Object.assign(url, { username: role, password: 'service' }).href;
}
