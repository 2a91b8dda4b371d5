/** The workers that we show settle refunds, and pass the drill: the one of the guide, as it stands there, and the one in Python. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { installClient, LINKED } from '../support/installed-client.js';
import { createDatabase, withClient } from '../support/postgres.js';
import { run, Scratch, until } from '../support/processes.js';
import { useService, useShop } from '../support/setup.js';
import { listen } from '../support/sockets.js';

const PAGE = readFileSync('docs/guides/connect-your-ledger.md', 'utf8');
const [, WORKER = ''] = /^```js\n(.*?)^```$/ms.exec(PAGE) ?? [];
const HAS_PYTHON = spawnSync('python3', ['--version']).status === 0;

const service = useService();
const shop = useShop(service);
const scratch = new Scratch();
const project = join(scratch.path, 'worker');
const worker = join(project, 'worker.mjs');

/** Pays whatever it is asked to. */
const provider = createServer(
  (_, response) => void response.end('{ "id": "pr_1", "status": "succeeded", "data": [] }'),
);

beforeAll(async () => {
  await installClient(scratch.path, project);
  writeFileSync(worker, WORKER);
});

afterAll(async () => {
  provider.close();
  await scratch.clear();
});

test('the worker of the guide settles a refund', async () => {
  const environment = { TILLGATE_URL: service.url, TILLGATE_LEDGER_KEY: shop.ledgerKey };
  const PROVIDER_URL = `http://127.0.0.1:${await listen(provider)}`;
  const started = scratch.keep(run([worker], { ...LINKED, ...environment, PROVIDER_URL }));
  const { id } = (await shop.propose(await shop.capture(), 500)).body;
  const read = async () => (await shop.ledgerGet(`/ledger/v1/refunds/${id}`)).body;
  await until(async () => (await read()).status === 'succeeded');
  expect((await read()).provider_reference).toBe('pr_1');
  started.child.kill('SIGTERM');
  expect((await started.ended).status).toBe(0);
});

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
});

(HAS_PYTHON ? test : test.skip)('a refund that another worker was given meanwhile is not paid', async () => {
  const propose = async () => (await shop.propose(await shop.capture(), 500)).body.id;
  const [first, second] = [await propose(), await propose()];
  const paid: unknown[] = [];
  const [looks, answers, ends] = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const slow = createServer(async ({ method, url, headers }, response) => {
    if (url?.endsWith('returned')) ends?.resolve();
    if (method === 'POST') paid.push(headers['idempotency-key']);
    else looks?.resolve();
    await answers?.promise;
    response.end('{ "id": "pr_1", "status": "succeeded", "data": [] }');
  });
  const PROVIDER_URL = `http://127.0.0.1:${await listen(slow)}`;
  const env = { ...process.env, TILLGATE_URL: service.url, TILLGATE_LEDGER_KEY: shop.ledgerKey, PROVIDER_URL };
  const python = spawn('python3', ['examples/python/worker.py'], { env });
  await looks?.promise;
  const lapse = 'UPDATE refunds SET claim_expires_at = now(), claimable_at = now() WHERE id = $1';
  await service.sql.query(lapse, [uuidOf(second)]);
  expect((await shop.claim()).body.data).toMatchObject([{ id: second, claim: { number: 2 } }]);
  answers?.resolve();
  await ends?.promise;
  python.kill();
  slow.close();
  expect(paid).toEqual([first]);
});

async function expectPassed(environment: Record<string, string>, ...command: string[]): Promise<void> {
  const plan = ['--seed', '1', '--refunds', '60', '--seconds', '20', '--json'];
  const drill = scratch.keep(run(['dist/src/operator/cli/cli.js', 'drill', ...plan, '--', ...command], environment));
  const { status, stdout } = await drill.ended;
  expect(JSON.parse(stdout)).toMatchObject({ passed: true, refunds: 60, broken: [] });
  expect(status).toBe(0);
}
