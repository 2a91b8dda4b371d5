import type { Logger } from 'pino';
import { MIGRATIONS } from '../../persistence/data-source.js';
import { type Config, readConfig } from '../../platform/config.js';
import { VERSION } from '../../platform/version.js';
import { ABOUT_LEDGER, startDemoLedger } from './demo-ledger.js';
import { readDemo } from './demo-tour.js';
import { fail } from './explain.js';
import { openLog } from './log.js';
import { openMigratedDatabase } from './open-database.js';
import type { Server } from './server.js';
import { endAfter, onStopSignal } from './stop-signals.js';

interface Serving extends Pick<Server, 'announcement' | 'close'> {
  restart?(): void;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const config = readConfig(process.env);
  let starting: ReturnType<typeof start> | undefined;
  // The signals are registered before anything starts, so that every signal also stops the
  // database.
  onStopSignal(
    // A stop signal during start-up waits until start-up has finished, so that everything started
    // can be closed.
    () => endAfter(() => starting?.then(({ close }) => close()), fail),
    config.webConcurrency === 1
      ? {}
      : { restart: () => void starting?.then(({ restart }) => restart()) },
  );
  starting = start(config);
  await starting;
}

async function start(config: Config) {
  const log = await openLog(config);
  const database = await openMigratedDatabase(config, { role: 'server', say });
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
 * Imports only what this process needs: the primary process of several workers serves no requests.
 */
async function serve(config: Config, databaseUrl: string, log: Logger): Promise<Serving> {
  if (config.webConcurrency > 1)
    return (await import('./workers.js')).Workers.start(config, databaseUrl, log);
  return (await import('./server.js')).Server.start(config, databaseUrl);
}

main().catch(fail);
