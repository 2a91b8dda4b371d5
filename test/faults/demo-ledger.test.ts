/** The small ledger beside the service on the embedded default: it settles the demo's refunds, and runs nowhere else. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { get, post } from '../support/client.js';
import { submit } from '../support/page.js';
import { createDatabase } from '../support/postgres.js';
import { isRunning, printed, Scratch, type Server, startServer, until } from '../support/processes.js';

const scratch = new Scratch();
let dataDir: string;

afterAll(() => scratch.clear());

async function start(settings: Record<string, string>): Promise<Server> {
  const server = scratch.keep(await startServer({ DATA_DIR: dataDir, LOG_LEVEL: 'info', ...settings }));
  // By then its ledger is started, if it has one.
  await printed(server, /"msg":"(started)"/);
  return server;
}

function ledgersOf({ child: { pid } }: Server): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return children.filter((one) => readFileSync(`/proc/${one}/cmdline`, 'utf8').includes('/ledger.js')).map(Number);
}

const demo = () => JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));

/** Refunds a part of the newest payment. Returns what reads the refund. */
async function refund({ url }: Server) {
  const { key } = demo();
  const [{ id: payment }] = (await get(`${url}/v1/payments?limit=1`, { key })).body.data;
  const proposed = (await post(`${url}/v1/refunds`, { key, body: { payment, amount: 500 } })).body;
  expect(proposed).toMatchObject({ status: 'pending', payment, amount: 500 });
  return async () => (await get(`${url}/v1/refunds/${proposed.id}`, { key })).body;
}

test.each([
  ['one process', '1'],
  ['two processes', '2'],
])('by %s, an order that is paid on its page and refunded settles by itself', async (_, WEB_CONCURRENCY) => {
  dataDir = scratch.dataDir(WEB_CONCURRENCY);
  const server = await start({ DEMO: 'on', WEB_CONCURRENCY });
  const { page } = demo();
  for (const step of ['pay', 'pretend/pay']) expect((await submit(`${page}/${step}`)).status).toBe(303);
  // The ledger finds the first when it starts, and the second when it is woken.
  for (let refunds = 0; refunds < 2; refunds += 1) {
    const read = await refund(server);
    await until(async () => (await read()).status === 'succeeded');
  }
  const ledgers = ledgersOf(server);
  expect(ledgers).toHaveLength(1);
  expect(await server.stop()).toMatchObject({ status: 0, stderr: '' });
  expect(ledgers.filter(isRunning)).toEqual([]);
});

test('a killed service takes its ledger with it', async () => {
  const server = await start({ DEMO: 'on' });
  const [ledger = 0] = ledgersOf(server);
  await server.stop('SIGKILL');
  await until(() => !isRunning(ledger));
});

test('with DEMO=off, the refund waits for a ledger of your own', async () => {
  const server = await start({ DEMO: 'off' });
  const read = await refund(server);
  expect([ledgersOf(server), (await read()).status]).toEqual([[], 'pending']);
  await server.stop();
});

test('on a database of your own there is none', async () => {
  const database = await createDatabase();
  const server = await start({ DEMO: 'on', DATABASE_URL: database.url });
  expect(ledgersOf(server)).toEqual([]);
  await server.stop();
  await database.drop();
});
