import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApplication } from './application.js';
import { demo, tour } from './demo.js';
import { type Config, ConfigError, readConfig } from './platform/config.js';
import { openMigratedDatabase } from './platform/database/open.js';
import { onStopSignal } from './platform/stop-signals.js';

/** Requests still running when it is told to stop are given as long as a statement may take; `docker stop` waits 10 s. */
const DRAIN_MS = 5_000;
/** A stop that takes longer hangs. */
const SHUTDOWN_MS = 25_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const config = readConfig(process.env);
  let starting: Promise<() => Promise<void>> | undefined;
  // Before anything is started: a signal that comes first would leave a database nobody stops.
  onStopSignal(() => {
    setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
    // Told to stop while it is starting, it starts first: only then is it known what there is to stop.
    starting?.then((stop) => stop()).then(() => process.exit(0), fail);
  });
  starting = start(config);
  await starting;
}

/** Returns what stops it all again. */
async function start(config: Config): Promise<() => Promise<void>> {
  const database = await openMigratedDatabase(config, { role: 'server', say });
  let application: NestFastifyApplication | undefined;
  const stop = async () => {
    // A client that sends half a request and waits would keep the server from closing.
    setTimeout(() => application?.getHttpServer().closeAllConnections(), DRAIN_MS).unref();
    await application?.close();
    await database.close();
  };
  try {
    application = await createApplication(config, database.url);
    await listenQuietly(application, config);
    const url = urlOf(application, config);
    if (config.databaseUrl === undefined) say(tour(url, await demo(application, config.dataDir)));
    else say(`Tillgate listens on ${url}`);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Fastify logs where it listens, or why it cannot, in JSON; here that is said in plain words. */
async function listenQuietly(application: NestFastifyApplication, { port, host, logLevel }: Config): Promise<void> {
  const { log } = application.getHttpAdapter().getInstance();
  log.level = 'silent';
  await application.listen(port, host);
  log.level = logLevel;
}

function urlOf(application: NestFastifyApplication, { host }: Config): string {
  const { port } = application.getHttpServer().address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
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
  if (code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL') return [`HOST cannot be listened on: ${message}.`];
  if (code === 'ENOTDIR' || code === 'EACCES') return [`DATA_DIR cannot be used: ${message}.`];
  return [message];
}

main().catch(fail);
