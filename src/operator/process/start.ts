import type { Logger } from 'pino';
import { MIGRATIONS } from '../../persistence/data-source.js';
import { type Config, readConfig } from '../../platform/config.js';
import { VERSION } from '../../platform/version.js';
import type { EmbeddedPostgres } from '../embedded-postgres/embedded-postgres.js';
import { ABOUT_LEDGER, startDemoLedger } from './demo-ledger.js';
import { readDemo } from './demo-tour.js';
import { fail } from './explain.js';
import { openLog } from './log.js';
import { bringUpToDate, openDatabase } from './open-database.js';
import type { Server } from './server.js';
import { endAfter, onStopSignal } from './stop-signals.js';

interface Serving extends Pick<Server, 'announcement' | 'close'> {
  restart?(): void;
}

type Serve = (config: Config, databaseUrl: string, log: Logger) => Promise<Serving>;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const config = readConfig(process.env);
  let starting: ReturnType<typeof start> | undefined;
  // The signals are registered before anything starts, so that every signal also stops the
  // database.
  onStopSignal(
    // A stop signal during start-up waits until start-up has finished, so that everything started
    // can be closed.
    () => endAfter(() => starting?.then(({ close }) => close())),
    config.webConcurrency === 1
      ? {}
      : { restart: () => void starting?.then(({ restart }) => restart()) },
  );
  starting = start(config);
  await starting;
}

async function start(config: Config) {
  const log = await openLog(config);
  const { database, serve } = await prepare(config);
  let serving: Serving | undefined;
  let stopLedger: (() => Promise<unknown>) | undefined;
  const close = async () => {
    log.info('stopping');
    await stopLedger?.();
    await serving?.close();
    await database.close();
    log.info('stopped');
  };
  try {
    serving = await serve(config, database.url, log);
    const { url, text } = await serving.announcement();
    // The announcement is for people. Where programs read the log, it has only JSON lines, which
    // have the address.
    if (process.stdout.isTTY || config.databaseUrl === undefined || !log.isLevelEnabled('info'))
      say(text);
    const demo =
      config.databaseUrl === undefined && config.demo === 'on'
        ? readDemo(config.dataDir)
        : undefined;
    if (demo) {
      stopLedger = startDemoLedger(url, database.url, demo);
      say(ABOUT_LEDGER);
    }
    const versions = { version: VERSION, node: process.version, schema: MIGRATIONS.at(-1)?.name };
    log.info({ url, ...versions, processes: config.webConcurrency }, 'started');
    return { close, restart: () => serving?.restart?.() };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Loads what serves while the embedded PostgreSQL starts. It is launched first, because a process
 * that loads does nothing else for half a second. No other database is asked anything meanwhile,
 * because a process that loads hears too late that it is connected.
 */
async function prepare(config: Config): Promise<{ database: EmbeddedPostgres; serve: Serve }> {
  const launched = Promise.withResolvers<void>();
  const opening = openDatabase(config, { role: 'server', say, onLaunch: launched.resolve });
  try {
    // A PostgreSQL that already runs is not launched.
    await Promise.race([launched.promise, opening]);
    const [database, serve] = await Promise.all([opening, loadServer(config)]);
    await bringUpToDate(config, database.url);
    return { database, serve };
  } catch (error) {
    const opened = await opening.catch(() => undefined);
    await opened?.close();
    throw error;
  }
}

/**
 * Imports only what this process needs: the primary process of several workers serves no requests.
 */
async function loadServer(config: Config): Promise<Serve> {
  if (config.webConcurrency > 1) {
    const { Workers } = await import('./workers.js');
    return Workers.start;
  }
  const { Server } = await import('./server.js');
  return Server.start;
}

main().catch(fail);
