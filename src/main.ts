import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApplication } from './application.js';
import { demo, tour } from './demo.js';
import { type Config, ConfigError, readConfig } from './platform/config.js';
import { openMigratedDatabase } from './platform/database/open.js';

/** Requests still running when the process is told to stop are given this long. */
const SHUTDOWN_MS = 25_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const database = await openMigratedDatabase(config, { role: 'server', say });
  let application: NestFastifyApplication | undefined;
  const stop = async () => {
    await application?.close();
    await database.close();
  };
  stopOnSignals(stop);
  try {
    application = await createApplication(config, database.url);
    await application.listen(config.port, config.host);
    const url = urlOf(application, config);
    if (config.databaseUrl === undefined) say(tour(url, await demo(application, config.dataDir)));
    else say(`Tillgate listens on ${url}`);
  } catch (error) {
    await stop();
    throw error;
  }
}

function urlOf(application: NestFastifyApplication, { host }: Config): string {
  const { port } = application.getHttpServer().address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function stopOnSignals(stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = () => {
    // npm passes a terminal's Ctrl-C on, so it often comes twice.
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
}

function fail(error: unknown): never {
  for (const line of explain(error)) process.stderr.write(`${line}\n`);
  process.exit(1);
}

function explain(error: unknown): readonly string[] {
  if (error instanceof ConfigError) return error.faults;
  const { code, port, address, message } = error as NodeJS.ErrnoException & Partial<AddressInfo>;
  if (code === 'EADDRINUSE') return [`Port ${port} on ${address} is in use: stop what listens there, or set PORT.`];
  if (code === 'EACCES' && port) return [`Port ${port} needs more rights: set PORT to one above 1023.`];
  return [message];
}

main().catch(fail);
