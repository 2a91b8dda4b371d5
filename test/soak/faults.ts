/** The faults of a soak are drawn from its seed. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../drill/random.js';
import { withClient } from '../support/postgres.js';
import type { Receiver } from '../support/receiver.js';
import { answer, hang } from '../support/receiver.js';
import type { SoakDatabase } from './database.js';
import type { Services } from './services.js';

export interface World {
  readonly database: SoakDatabase;
  readonly services: Services;
  readonly receiver: Receiver;
}

type Fault = (world: World, random: Random) => Promise<unknown> | unknown;

const seconds = (random: Random, from: number, to: number) =>
  1_000 * (from + random.next() * (to - from));

/** Holds the rows that a statement has locked, as another client of the database may. */
async function holding(world: World, random: Random, statement: string): Promise<void> {
  const milliseconds = seconds(random, 1, 4);
  await withClient(world.database.url, async (sql) => {
    await sql.query('BEGIN');
    await sql.query(statement);
    await sleep(milliseconds);
    await sql.query('ROLLBACK');
  });
}

export const FAULTS: Readonly<Record<string, Fault>> = {
  'kill -9 of a service': ({ services }, random) => services.kill(random.below(2), 'SIGKILL'),
  'kill -9 of a worker': ({ services }) => services.killWorker(),
  'SIGTERM to a service': ({ services }, random) => services.kill(random.below(2), 'SIGTERM'),
  'rolling restart of the workers': ({ services }) => services.kill(1, 'SIGHUP'),
  'kill -9 of PostgreSQL': ({ database }) => database.end('SIGKILL'),
  'restart of PostgreSQL': ({ database }) => database.end('SIGINT'),
  'database connections cut': ({ database }) => database.network.cut(),
  'client connections cut': ({ services }) => services.network.cut(),
  'black hole before the database': ({ database }, random) =>
    database.network.blackHole(seconds(random, 1, 8)),
  'black hole before the clients': ({ services }, random) =>
    services.network.blackHole(seconds(random, 1, 4)),
  'payments locked': (world, random) =>
    holding(world, random, 'SELECT FROM payments ORDER BY id DESC LIMIT 20 FOR UPDATE'),
  'table of refunds locked': (world, random) =>
    holding(world, random, 'LOCK TABLE refunds IN ACCESS EXCLUSIVE MODE'),
  'receiver down': ({ receiver }, random) => misbehave(receiver, random, answer(503)),
  'receiver silent': ({ receiver }, random) => misbehave(receiver, random, hang),
  'disk full': ({ database }, random) => database.fillDisk(seconds(random, 1, 3)),
};

async function misbehave(
  receiver: Receiver,
  random: Random,
  behavior: Parameters<Receiver['behave']>[0],
): Promise<void> {
  receiver.behave(behavior);
  await sleep(seconds(random, 1, 3));
  receiver.behave(answer(204));
}
