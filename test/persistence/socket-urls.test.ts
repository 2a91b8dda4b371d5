/**
 * Every form in which libpq takes the URL of a Unix socket connects here too. The socket leads to
 * the PostgreSQL of the tests.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readConfig } from '../../src/platform/config.js';
import { command } from '../support/command.js';
import { createDatabase, serverUrl, withClient } from '../support/postgres.js';

const folder = mkdtempSync(join(tmpdir(), 'tillgate-socket-'));
const { username, password, hostname, port } = new URL(serverUrl());
const server = createServer((socket) => {
  const onward = connect(Number(port), hostname);
  for (const one of [socket.pipe(onward), onward.pipe(socket)]) one.on('error', () => undefined);
});
let database: Awaited<ReturnType<typeof createDatabase>>;
let name: string;

beforeAll(async () => {
  await once(server.listen(join(folder, '.s.PGSQL.5433')), 'listening');
  database = await createDatabase();
  name = new URL(database.url).pathname.slice(1);
});

afterAll(async () => {
  server.close();
  rmSync(folder, { recursive: true });
  await database.drop();
});

const USER = `${username}:${password}`;
const IN_QUERY = `user=${username}&password=${password}`;
const ENCODED = encodeURIComponent(folder);
const FORMS: readonly (() => string)[] = [
  () => `postgres://${USER}@/${name}?host=${folder}&port=5433`,
  () => `postgresql://${USER}@/${name}?port=5433&host=${ENCODED}`,
  () => `postgres://${USER}@:5433/${name}?host=${folder}`,
  () => `postgres://${USER}@:5433?host=${folder}&dbname=${name}`,
  () => `postgres://${USER}@/?host=${folder}&port=5433&dbname=${name}`,
  () => `postgres://${USER}@${ENCODED}:5433/${name}`,
  () => `postgres://${ENCODED}:5433/${name}?${IN_QUERY}`,
  () => `postgres://${ENCODED}?port=5433&dbname=${name}&${IN_QUERY}`,
  () => `postgres:///${name}?host=${folder}&port=5433&${IN_QUERY}`,
  () => `postgres://:5433/${name}?host=${folder}&${IN_QUERY}`,
  () => `postgres://?host=${folder}&port=5433&dbname=${name}&${IN_QUERY}`,
  () => `postgres://${USER}@elsewhere.example:1/${name}?host=${folder}&port=5433`,
  () => `postgres://${USER}@/${name}?sslmode=require&host=${folder}&sslrootcert=/nowhere&port=5433`,
];

test.each(FORMS)('form %# of a URL connects by the socket that it names', async (form) => {
  const { databaseUrl = '' } = readConfig({ DATABASE_URL: form() });
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query('SELECT current_database() AS name'),
  );
  expect(rows).toEqual([{ name }]);
});

test('the command line connects by a socket', async () => {
  const { status, stdout } = await command(['org', 'list'], {
    DATABASE_URL: (FORMS[0] as () => string)(),
  });
  expect([status, JSON.parse(stdout)]).toEqual([0, { object: 'list', data: [] }]);
});

test('a URL that names no socket stays as it is', () => {
  const urls = [
    'postgres://me@db:5433/shop?application_name=a%20b',
    'postgres://[::1]:5432/shop',
    'postgres://db',
  ];
  for (const url of urls) expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url);
});
