/**
 * The embedded PostgreSQL starts as a real process after everything that people do to its files.
 */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { VERSION } from '../../src/platform/version.js';
import { post, SMALLEST } from '../support/client.js';
import {
  createSession,
  expectCleanStop,
  preparedCopy,
  start,
  statusOf,
  withScratch,
} from '../support/embedded.js';
import {
  isRunning,
  launch,
  listening,
  postgresPid,
  run,
  startServer,
} from '../support/processes.js';
import { listen } from '../support/sockets.js';

const isRoot = process.getuid?.() === 0;
const asRoot = isRoot ? test : test.skip;
const withoutPtrace = isRoot && existsSync('/usr/bin/setpriv') ? test : test.skip;
const scratch = withScratch();

describe('the embedded PostgreSQL', () => {
  test('is set up by the first start, which says so, and keeps everything for the next start', async () => {
    const dataDir = scratch().dataDir();
    const first = await start(dataDir);
    const session = await createSession(first);
    expect(first.stdout().split('\n').slice(0, 8)).toEqual([
      `PostgreSQL is being set up in ${dataDir}/pg …`,
      `PostgreSQL 18 is starting in ${dataDir}/pg …`,
      '',
      `Tillgate ${VERSION} listens on ${first.url}`,
      '',
      'Open this page and press Pay, as a customer would:',
      '',
      expect.stringContaining(`  ${first.url}/c/`),
    ]);
    await expectCleanStop(first, dataDir);

    const second = await start(dataDir);
    expect(second.stdout().split('\n')).toEqual([
      `PostgreSQL 18 is starting in ${dataDir}/pg …`,
      '',
      `Tillgate ${VERSION} listens on ${second.url}`,
      '',
      'Open this page and press Pay, as a customer would:',
      '',
      expect.stringContaining(`  ${second.url}/c/`),
      '',
      `Demo keys are made once, on an empty database, and kept in ${dataDir}/demo.json.`,
      '',
      expect.stringMatching(/^API=\S+ ORGANIZATION=org_\w+ KEY=sk_test_\w+ LEDGER_KEY=\w+$/),
      '',
      expect.stringMatching(/^Webhooks: give sessions/),
      expect.stringMatching(
        /^ {2}WEBHOOK_SECRET=whsec_\S+ npx tillgate webhook listen --port 4000$/,
      ),
      '',
      `API reference: ${second.url}/docs`,
      '',
    ]);
    expect(second).toMatchObject({ key: first.key, payment: first.payment });
    expect(await statusOf(second, session)).toBe(200);
    await expectCleanStop(second, dataDir);
  });

  test('serves one of two first starts at once, and the other one is refused', async () => {
    const dataDir = scratch().dataDir();
    const both = [launch({ DATA_DIR: dataDir }), launch({ DATA_DIR: dataDir })].map((each) =>
      scratch().keep(each),
    );
    const refused = await Promise.race(both.map(({ ended }) => ended));
    expect(refused).toMatchObject({
      status: 1,
      stderr: `Another Tillgate server is already running on ${dataDir}.\n`,
    });
    const server = await listening(
      both.find(({ child }) => child.exitCode === null) as (typeof both)[number],
    );
    await createSession(server);
    await expectCleanStop(server, dataDir);
    expect(readdirSync(dataDir).sort()).toEqual(['demo.json', 'pg', 'postgres.log']);
  });

  test('stops when the port is in use, which one sentence says', async () => {
    const dataDir = preparedCopy();
    const squatter = createServer();
    const port = await listen(squatter);
    const { status, stdout, stderr } = await launch({ DATA_DIR: dataDir, PORT: String(port) })
      .ended;
    squatter.close();
    expect(stdout).not.toContain('EADDRINUSE');
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `Port ${port} on 127.0.0.1 is in use: stop what listens there, or set PORT.\n`,
    });
    expect(postgresPid(dataDir)).toBeUndefined();
  });

  test('starts in a path with spaces that is too long for a socket, below a directory that only root may enter', async () => {
    const closed = join(scratch().path, 'closed');
    mkdirSync(closed);
    chmodSync(closed, 0o700);
    const dataDir = scratch().dataDir(join('closed', 'my data', 'x'.repeat(120)));
    await expectCleanStop(await start(dataDir), dataDir);
  });

  test('ignores the settings of PostgreSQL clients in the environment', async () => {
    const dataDir = preparedCopy();
    const settings = {
      PGSSLMODE: 'require',
      PGPORT: '1',
      PGHOST: 'nowhere.invalid',
      PGDATABASE: 'none',
      PGDATA: '/',
    };
    await expectCleanStop(await start(dataDir, settings), dataDir);
  });

  test('gets new demo data with a working key after its database was removed', async () => {
    const dataDir = preparedCopy();
    rmSync(join(dataDir, 'pg'), { recursive: true });
    const server = await start(dataDir);
    await createSession(server);
    await expectCleanStop(server, dataDir);
  });

  test('refuses a directory without a database soon, in one sentence', async () => {
    const dataDir = scratch().dataDir();
    mkdirSync(join(dataDir, 'pg'), { recursive: true });
    const { status, stderr } = await launch({ DATA_DIR: dataDir }).ended;
    expect(status).toBe(1);
    expect(stderr).toBe(
      `PostgreSQL did not start in ${dataDir}/pg: could not access the server configuration file ` +
        `"${dataDir}/pg/postgresql.conf": No such file or directory. Its log is ${dataDir}/postgres.log.\n`,
    );
  });

  test('refuses a file in place of the directory or above it, in one sentence that names the setting', async () => {
    const file = join(scratch().path, 'file');
    writeFileSync(file, '');
    for (const DATA_DIR of [file, join(file, 'data')]) {
      const stderr = `DATA_DIR cannot be used: ${DATA_DIR}: it, or a directory above it, is a file.\n`;
      expect(await launch({ DATA_DIR }).ended).toEqual({ status: 1, stdout: '', stderr });
    }
  });

  withoutPtrace(
    'a directory that cannot be made is one sentence that names the setting',
    async () => {
      const DATA_DIR = join(scratch().path, 'closed', 'data');
      mkdirSync(join(scratch().path, 'closed'), { mode: 0o500 });
      const stderr = `DATA_DIR cannot be used: ${DATA_DIR}: this user cannot make it there.\n`;
      // Root may do everything except what is taken from it.
      const wrapper = ['setpriv', '--bounding-set', '-dac_override', '--inh-caps', '-dac_override'];
      chownSync(join(scratch().path, 'closed'), 65_534, 65_534);
      expect(await launch({ DATA_DIR }, wrapper).ended).toEqual({ status: 1, stdout: '', stderr });
    },
  );
});

describe('the log of the embedded PostgreSQL', () => {
  const logOf = (dataDir: string) => join(dataDir, 'postgres.log');

  test('can be read by its owner only, and contains no refused statement', async () => {
    const dataDir = preparedCopy();
    const file = logOf(dataDir);
    const server = await start(dataDir);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const started = readFileSync(file, 'utf8');
    expect(started).toContain('ready to accept connections');
    const request = { key: server.key, idempotencyKey: 'sent-twice', body: SMALLEST };
    const first = await post(`${server.url}/v1/checkout_sessions`, request);
    expect((await post(`${server.url}/v1/checkout_sessions`, request)).text).toBe(first.text);
    expect(readFileSync(file, 'utf8')).toBe(started);
    await expectCleanStop(server, dataDir);
  });

  test('is renamed at the start when it has grown', async () => {
    const dataDir = preparedCopy();
    const file = logOf(dataDir);
    appendFileSync(file, 'a'.repeat(2 ** 20));
    await expectCleanStop(await start(dataDir), dataDir);
    expect(readFileSync(file, 'utf8')).not.toContain('aaaa');
    expect(readFileSync(`${file}.1`, 'utf8')).toContain('aaaa');
  });
});

describe('a start', () => {
  /** Each row has the content of the pid file, and its age in seconds. */
  test.each([
    ['the pid of somebody else', () => `${process.pid}\n/proc/self/cwd\n1700000000\n1\n`, 60],
    [
      'the pid of somebody else, written just now',
      () => `${process.pid}\n/proc/self/cwd\n1700000000\n1\n`,
      0,
    ],
    ['no text', () => '', 60],
    ['no pid', () => 'what?\n', 60],
  ])('succeeds although the pid file contains %s', async (_, content, age) => {
    const dataDir = preparedCopy();
    const file = join(dataDir, 'pg', 'postmaster.pid');
    writeFileSync(file, content());
    const writtenAt = Date.now() / 1000 - age;
    utimesSync(file, writtenAt, writtenAt);
    await expectCleanStop(await start(dataDir), dataDir);
    expect(isRunning(process.pid)).toBe(true);
  });

  test('removes the half-made directory of a dead process, and keeps that of a live one', async () => {
    const dataDir = scratch().dataDir();
    for (const pid of ['999999999', process.pid])
      mkdirSync(join(dataDir, `pg.${pid}.new`, 'base'), { recursive: true });
    await expectCleanStop(await start(dataDir), dataDir);
    expect(readdirSync(dataDir).sort()).toEqual([
      'demo.json',
      'pg',
      `pg.${process.pid}.new`,
      'postgres.log',
    ]);
  });

  asRoot(
    'a database that belongs to another user than it would choose is run as that user',
    async () => {
      const dataDir = preparedCopy();
      execFileSync('chown', ['-R', '12345:12345', join(dataDir, 'pg')]);
      const server = await start(dataDir);
      expect(readFileSync(`/proc/${postgresPid(dataDir)}/status`, 'utf8')).toMatch(
        /^Uid:\s+12345\s+12345\s/m,
      );
      await expectCleanStop(server, dataDir);
    },
  );

  withoutPtrace(
    'as root of a container, who may not look into other users’ processes, it works too',
    async () => {
      const dataDir = preparedCopy();
      const wrapper = ['setpriv', '--bounding-set', '-sys_ptrace', '--inh-caps', '-sys_ptrace'];
      const server = scratch().keep(await startServer({ DATA_DIR: dataDir }, wrapper));
      const pid = postgresPid(dataDir) as number;
      const command = run(
        ['dist/bundle/cli.js', 'org', 'create', 'Shop'],
        { DATA_DIR: dataDir },
        wrapper,
      );
      expect(await command.ended).toMatchObject({ status: 0 });
      expect(postgresPid(dataDir)).toBe(pid);
      await expectCleanStop(server, dataDir);
    },
  );
});
