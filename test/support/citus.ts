/**
 * Makes databases on the Citus cluster that TEST_DATABASE_URL names, each on all of its machines.
 */
import { distributeTables, migrate } from '../../src/operator/migrate/migrate.js';
import { serverUrl, urlOf, withClient } from './postgres.js';

const SHARDS = 4;

/** Returns `host:port` of each worker, and none on a PostgreSQL without Citus. */
export function workers(): readonly string[] {
  return (process.env.TEST_CITUS_WORKERS ?? '').split(' ').filter((worker) => worker !== '');
}

export async function createOnAll(name: string, empty: boolean): Promise<void> {
  const url = urlOf(name);
  for (const machine of machines()) {
    await withClient(machine, (client) => client.query(`CREATE DATABASE ${name}`));
    await withClient(on(machine, name), (client) => client.query('CREATE EXTENSION citus'));
  }
  await withClient(url, async (client) => {
    const { hostname, port } = new URL(url);
    await client.query('SELECT citus_set_coordinator_host($1, $2)', [hostname, port]);
    for (const worker of workers())
      await client.query('SELECT citus_add_node($1, $2)', worker.split(':'));
  });
  if (empty) return;
  await migrate(url);
  await distributeTables(url, SHARDS);
}

export async function dropOnAll(name: string): Promise<void> {
  for (const machine of machines()) {
    await withClient(machine, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
  }
}

function machines(): readonly string[] {
  const url = new URL(serverUrl());
  return [url.href, ...workers().map((host) => Object.assign(new URL(url), { host }).href)];
}

function on(machine: string, name: string): string {
  return Object.assign(new URL(machine), { pathname: name }).href;
}
