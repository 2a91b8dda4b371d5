/**
 * Causes faults under load and then runs a checker: everything that was acknowledged must hold,
 * whatever was killed, cut off, locked or filled up.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../drill/random.js';
import { withClient } from '../support/postgres.js';
import { openAccount, tillgate } from '../support/processes.js';
import { startReceiver } from '../support/receiver.js';
import { Checker } from './checker.js';
import { Client } from './clients.js';
import { SoakDatabase } from './database.js';
import { FAULTS } from './faults.js';
import { OperationLog, type Tenant } from './operation-log.js';
import { Services } from './services.js';

export interface SoakOptions {
  readonly seconds: number;
  readonly seed: number;
  /** Ends the load before its time. The check follows all the same. */
  readonly stop?: AbortSignal;
  /** Gets a line for each event. */
  readonly report?: (line: string) => void;
}

const TENANTS = 3;
const CLIENTS_OF_EACH = 2;
/**
 * The pause before each fault is short, so that faults meet, and long now and then, so that
 * everything recovers.
 */
const PAUSES_MS = [0, 0, 200, 1_000, 3_000];
/** So many final answers come before the next fault: a fault without load hits nothing. */
const PROGRESS = 25;
/** This is longer than any fault takes, and than a service takes to start on a busy machine. */
const RECOVERY_MS = 120_000;

export async function soak({ seconds, seed, stop, report = () => undefined }: SoakOptions) {
  const database = await SoakDatabase.open();
  const receiver = await startReceiver();
  const services = await Services.open(database.outsideUrl);
  try {
    const log = new OperationLog();
    const names = Array.from({ length: TENANTS }, (_, place) => `Tenant ${place}`);
    const tenants = (await Promise.all(names.map((name) => openTwin(database.url, name)))).flat();
    const faults = await underLoad(seconds, { database, services, receiver }, tenants, {
      log,
      seed,
      report,
      stop,
    });
    report('every client is answered; checking');
    const checker = new Checker(services.url, database.url, log);
    const checked = await withClient(database.url, (sql) =>
      checker.check(sql, tenants, receiver.received),
    );
    return { seed, seconds, faults, ...log.figures, checked, violations: log.violations };
  } finally {
    await services.stop();
    await database.stop();
    await receiver.close();
  }
}

/** Opens an organization in both modes. */
async function openTwin(databaseUrl: string, name: string): Promise<Tenant[]> {
  const test = { mode: 'test', ...(await openAccount(databaseUrl, name)) };
  const live = ['key', 'create', '--mode', 'live'];
  const { key } = await tillgate(databaseUrl, [...live, '--org', test.organization]);
  const { key: ledgerKey } = await tillgate(databaseUrl, [...live, '--kind', 'ledger']);
  return [test, { ...test, mode: 'live', key, ledgerKey }];
}

type World = Parameters<(typeof FAULTS)[string]>[0];
type Run = {
  readonly log: OperationLog;
  readonly seed: number;
  readonly report: (line: string) => void;
  readonly stop: AbortSignal | undefined;
};

/** Returns how often each fault was made. */
async function underLoad(
  seconds: number,
  world: World,
  tenants: readonly Tenant[],
  { log, seed, report, stop: ended }: Run,
) {
  const stop = new AbortController();
  const random = new Random(seed);
  const { url } = world.services;
  const clients = tenants.flatMap((tenant) =>
    Array.from({ length: CLIENTS_OF_EACH }, (_, place) => {
      // In live mode a webhook needs https.
      const notifyUrl = tenant.mode === 'test' ? world.receiver.url : null;
      const own = new Random(random.below(2 ** 31));
      return new Client(url, tenant, `client ${place}`, notifyUrl, log, own).work(stop.signal);
    }),
  );
  const made: Record<string, number> = {};
  const names = Object.keys(FAULTS).filter(
    (name) => name !== 'disk full' || world.database.hasOwnDisk,
  );
  const deadline = performance.now() + seconds * 1_000;
  while (performance.now() < deadline && !ended?.aborted) {
    await progress(log);
    await sleep(random.of(PAUSES_MS));
    const name = random.of(names) as string;
    report(name);
    made[name] = (made[name] ?? 0) + 1;
    await FAULTS[name]?.(world, random);
  }
  stop.abort();
  await Promise.all(clients);
  return made;
}

async function progress(log: OperationLog): Promise<void> {
  const enough = log.answers + PROGRESS;
  const deadline = performance.now() + RECOVERY_MS;
  while (log.answers < enough) {
    if (performance.now() > deadline) throw new Error(`Nobody was answered for ${RECOVERY_MS} ms.`);
    await sleep(20);
  }
}
