/** PostgreSQL prepares every statement, which finds each parameter that has a wrong type. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { createDatabase } from '../support/postgres.js';

// The statements are collected in a process of its own, because that changes how modules load.
const COLLECT = `import { collect } from './dist/tools/statements/collect.js';
  const { statements } = await collect();
  const texts = [...statements].map(([name, { text }]) => ({ name, text }));
  console.log(JSON.stringify(texts));`;

/** It reads the tables of Citus. */
const ON_CITUS = 'distribute TABLES';

const collected: { readonly name: string; readonly text: string }[] = JSON.parse(
  execFileSync(process.execPath, ['--input-type=module', '--eval', COLLECT], { encoding: 'utf8' }),
);
const statements = collected.filter(({ name }) => name !== ON_CITUS);

let database: Awaited<ReturnType<typeof createDatabase>>;
let client: Client;

beforeAll(async () => {
  database = await createDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

test.each(statements)('PostgreSQL prepares $name', async ({ name, text }) => {
  await client.query(`PREPARE "${name}" AS ${text}`);
});

test('there are statements of every module that has a table of many rows', () => {
  const names = statements.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      'access.key_by_digest',
      'checkout.find',
      'idempotency.find',
      'new_event*',
      'payments.find',
      'refunds.claim',
      'webhooks.finish',
    ]),
  );
});
