/**
 * A test run has one PostgreSQL. Every test file works on a database of its own, which is copied
 * from a migrated template.
 */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { createOnAll, dropOnAll, workers } from './citus.js';

export function serverUrl(): string {
  return process.env.TEST_POSTGRES_URL as string;
}

/** Returns the URL of another database on the same server. */
export function urlOf(database: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${database}`;
  return url.href;
}

export async function withClient<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Makes a new database, migrated or empty. */
export async function createDatabase({
  empty = false,
} = {}): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  if (workers().length > 0) {
    await createOnAll(name, empty);
    return { url: urlOf(name), drop: () => dropOnAll(name) };
  }
  const admin = (sql: string) => withClient(serverUrl(), (client) => client.query(sql));
  await admin(`CREATE DATABASE ${name}${empty ? '' : ` TEMPLATE ${process.env.TEST_TEMPLATE}`}`);
  return {
    url: urlOf(name),
    drop: async () => {
      await admin(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}
