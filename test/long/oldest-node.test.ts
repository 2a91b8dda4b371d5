/** The oldest Node that `engines` names, from npm, runs the built service and the command line. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { post, SMALLEST } from '../support/client.js';
import { createDatabase } from '../support/postgres.js';
import { run, startServer } from '../support/processes.js';

const MINUTES = 60_000;
const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
const [OLDEST = ''] = engines.node.match(/\d+\.\d+\.\d+/) ?? [];
const PACKAGE = `node-${process.platform}-${process.arch}`;

test(
  `Node ${OLDEST} makes an organization, a key and a session`,
  async () => {
    const folder = join(process.env.TEST_SCRATCH as string, 'oldest-node');
    execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', folder, `${PACKAGE}@${OLDEST}`]);
    // The shell drops the path of this Node, and runs the other one.
    const wrapper = ['sh', '-c', `exec "${join(folder, 'node_modules', PACKAGE, 'bin/node')}" "$@"`];
    expect((await run(['--version'], {}, wrapper).ended).stdout).toBe(`v${OLDEST}\n`);
    const database = await createDatabase();
    const environment = { DATABASE_URL: database.url };
    const tillgate = async (...words: string[]) =>
      JSON.parse((await run(['dist/src/operator/cli/cli.js', ...words], environment, wrapper).ended).stdout);
    const { id } = await tillgate('org', 'create', 'Shop');
    const { key } = await tillgate('key', 'create', '--org', id, '--mode', 'test');
    const server = await startServer(environment, wrapper);
    expect((await post(`${server.url}/v1/checkout_sessions`, { key, body: SMALLEST })).status).toBe(201);
    expect(await server.stop()).toMatchObject({ status: 0, stderr: '' });
    await database.drop();
  },
  5 * MINUTES,
);
