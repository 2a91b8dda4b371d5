/** This PostgreSQL speaks TLS with a certificate of a private CA, as managed databases do. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { OwnPostgres } from '../support/own-postgres.js';
import { withClient } from '../support/postgres.js';
import { commandLine, startServer } from '../support/processes.js';
import { SELF_SIGNED } from '../support/self-signed.js';

const CA = join(process.env.TEST_SCRATCH as string, 'ca.crt');

let postgres: OwnPostgres;

beforeAll(async () => {
  writeFileSync(CA, SELF_SIGNED.cert);
  postgres = await OwnPostgres.start();
  await withClient(postgres.url, async (client) => {
    for (const [file, text] of [
      ['server.crt', SELF_SIGNED.cert],
      ['server.key', SELF_SIGNED.key],
    ] as const) {
      const encoded = Buffer.from(`${text}\n`).toString('base64');
      await client.query(`COPY (SELECT '${encoded}') TO PROGRAM 'umask 077; base64 -d > ${file}'`);
    }
    await client.query('ALTER SYSTEM SET ssl = on');
    await client.query('SELECT pg_reload_conf()');
  });
});

afterAll(async () => {
  await postgres.stop();
  postgres.remove();
});

function urlWith(search: string, host = 'localhost'): string {
  const url = new URL(postgres.url);
  url.hostname = host;
  url.search = search;
  return url.href;
}

async function doctorOf(DATABASE_URL: string) {
  const { stdout, stderr } = await commandLine(['doctor'], { DATABASE_URL });
  const { checks } = JSON.parse(stdout) as {
    checks: { name: string; status: string; found: string; advice: string }[];
  };
  return { stderr, found: checks.filter(({ name }) => name === 'tls' || name === 'connection') };
}

test.each([
  ['sslmode=verify-full', ', and the server verified'],
  ['sslmode=require', ', and the server verified'],
  ['sslmode=no-verify', ''],
])(
  'a service with %s and the CA of the server starts without a warning',
  async (mode, verified) => {
    const DATABASE_URL = urlWith(`?${mode}&sslrootcert=${CA}`);
    expect((await commandLine(['migrate'], { DATABASE_URL })).stderr).toBe('');
    const server = await startServer({ DATABASE_URL });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    const encrypted = `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'tillgate'`;
    expect(
      await withClient(postgres.url, async (client) => (await client.query(encrypted)).rows),
    ).toEqual([{ ssl: true }]);
    expect((await server.stop()).stderr).toBe('');
    const { stderr, found } = await doctorOf(DATABASE_URL);
    expect([stderr, found[1]]).toEqual([
      '',
      { name: 'tls', status: 'ok', found: `The connection is encrypted${verified}.`, advice: null },
    ]);
  },
);

test.each([
  [
    'localhost',
    'require',
    'self-signed certificate',
    'Name the CA of its certificate in DATABASE_URL: sslrootcert=<file>.',
  ],
  [
    '127.1',
    `verify-full&sslrootcert=${CA}`,
    'Hostname/IP does not match',
    'Connect to a host that the certificate',
  ],
])(
  'a connection to %s with sslmode=%s is refused with advice',
  async (host, mode, fault, advice) => {
    const DATABASE_URL = urlWith(`?sslmode=${mode}`, host);
    const { stderr } = await commandLine(['migrate'], { DATABASE_URL });
    expect(stderr).toMatch(
      new RegExp(`^The database cannot be used: ${fault}.*\\. ${advice}.*\\n$`),
    );
    expect((await doctorOf(DATABASE_URL)).found).toEqual([
      expect.objectContaining({
        name: 'connection',
        status: 'fail',
        advice: expect.stringContaining(advice),
      }),
    ]);
  },
);

test('doctor says that a connection without an sslmode is not encrypted', async () => {
  const { found } = await doctorOf(urlWith(''));
  expect(found[1]?.found).toBe('The connection is not encrypted; the database is on this machine.');
});
