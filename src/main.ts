import { type Config, readConfig } from './platform/config.js';
import { openMigratedDatabase } from './platform/embedded-postgres/open.js';
import { fail } from './process/explain.js';
import type { Serving } from './process/server.js';
import { endAfter, onStopSignal } from './process/stop-signals.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Running {
  close(): Promise<void>;
  restart(): void;
}

async function main(): Promise<void> {
  const config = readConfig(process.env);
  let starting: Promise<Running> | undefined;
  // Before anything is started: a signal that comes first would leave a database nobody stops.
  onStopSignal(
    // Told to stop while it is starting, it starts first: only then is it known what there is to stop.
    () => endAfter(() => starting?.then(({ close }) => close()), fail),
    config.webConcurrency === 1 ? {} : { restart: () => void starting?.then(({ restart }) => restart()) },
  );
  starting = start(config);
  await starting;
}

async function start(config: Config): Promise<Running> {
  const database = await openMigratedDatabase(config, { role: 'server', say });
  let serving: Serving | undefined;
  const close = async () => {
    await serving?.close();
    await database.close();
  };
  try {
    serving = await serve(config, database.url);
    say(await serving.announcement());
    return { close, restart: () => serving?.restart?.() };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Loads only what this process needs: the first of several serves nothing itself. */
async function serve(config: Config, databaseUrl: string): Promise<Serving> {
  if (config.webConcurrency > 1) return (await import('./process/workers.js')).Workers.start(config, databaseUrl);
  return (await import('./process/server.js')).Server.start(config, databaseUrl);
}

main().catch(fail);
