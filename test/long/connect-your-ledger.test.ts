/**
 * The workers that the documents show pass the drill: the worker of the guide as it is printed, the
 * one in Python, and the small ledger.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { installClient, LINKED } from '../support/installed-client.js';
import { createDatabase, withClient } from '../support/postgres.js';
import { run, Scratch } from '../support/processes.js';

const PAGE = readFileSync('docs/guides/connect-your-ledger.md', 'utf8');
const [, WORKER = ''] = /^```js\n(.*?)^```$/ms.exec(PAGE) ?? [];
const HAS_PYTHON = spawnSync('python3', ['--version']).status === 0;

/** Far more than a drill takes on a busy machine. */
const LIMIT_SECONDS = '900';

const scratch = new Scratch();
const project = join(scratch.path, 'worker');
const worker = join(project, 'worker.mjs');

beforeAll(async () => {
  await installClient(scratch.path, project);
  writeFileSync(worker, WORKER);
});

afterAll(() => scratch.clear());

test('the worker of the guide, the one in Python and the small ledger pass the drill', async () => {
  const book = await createDatabase({ empty: true });
  const ledger = { LEDGER_DATABASE_URL: book.url, POLL_SECONDS: '1' };
  await Promise.all([
    expectPassed(LINKED, process.execPath, worker),
    ...(HAS_PYTHON ? [expectPassed({}, 'python3', 'examples/python/worker.py')] : []),
    expectPassed(ledger, process.execPath, 'dist/examples/ledger/ledger.js'),
  ]);
  const { rows } = await withClient(book.url, (client) => client.query('SELECT * FROM imbalances'));
  expect(rows).toEqual([]);
  await book.drop();
}, 1_000_000);

async function expectPassed(
  environment: Record<string, string>,
  ...command: string[]
): Promise<void> {
  const plan = ['--seed', '1', '--refunds', '40', '--limit', LIMIT_SECONDS, '--bail', '--json'];
  const drill = scratch.keep(
    run(['dist/bundle/cli.js', 'drill', ...plan, '--', ...command], environment),
  );
  const { status, stdout } = await drill.ended;
  expect(JSON.parse(stdout)).toMatchObject({ passed: true, refunds: 40, broken: [] });
  expect(status).toBe(0);
}
