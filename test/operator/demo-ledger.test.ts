/**
 * With the embedded database only, a small ledger settles the refunds of the demo, and webhooks may
 * go to this machine.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { get, post } from '../support/client.js';
import { submit } from '../support/page.js';
import { createDatabase } from '../support/postgres.js';
import {
  commandLine,
  isRunning,
  printed,
  Scratch,
  type Server,
  startServer,
  until,
} from '../support/processes.js';
import { startReceiver } from '../support/receiver.js';

const scratch = new Scratch();
let dataDir: string;

afterAll(() => scratch.clear());

async function start(settings: Record<string, string>): Promise<Server> {
  const server = scratch.keep(
    await startServer({ DATA_DIR: dataDir, LOG_LEVEL: 'info', ...settings }),
  );
  // If the service has a small ledger, it has been started before this line.
  await printed(server, /"msg":"(started)"/);
  return server;
}

function ledgersOf({ child: { pid } }: Server): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean);
  return children
    .filter((one) => readFileSync(`/proc/${one}/cmdline`, 'utf8').includes('/ledger.js'))
    .map(Number);
}

/** Finds the operations of the requests of this holder in the log. */
function operationsOf(server: Server, holder: string): string[] {
  const lines = server
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  return lines
    .map((line) => JSON.parse(line))
    .filter((line) => line.msg === 'request' && line.holder === holder)
    .map(({ operation }) => operation);
}

const demo = () => JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));

/** Refunds a part of the newest payment. Returns a function that reads the refund. */
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
])(
  'with %s, the ledger of the demo settles the refund of an order that was paid on its page',
  async (_, WEB_CONCURRENCY) => {
    dataDir = scratch.dataDir(WEB_CONCURRENCY);
    const server = await start({ DEMO: 'on', WEB_CONCURRENCY });
    const { page } = demo();
    for (const step of ['pay', 'pretend/pay'])
      expect((await submit(`${page}/${step}`)).status).toBe(303);
    // The ledger finds the first refund when it starts, and an event wakes it for the second one.
    for (let refunds = 0; refunds < 2; refunds += 1) {
      const read = await refund(server);
      await until(async () => (await read()).status === 'succeeded');
    }
    const ledgers = ledgersOf(server);
    expect(ledgers).toHaveLength(1);
    expect(await server.stop()).toMatchObject({ status: 0, stderr: '' });
    expect(server.stdout()).toMatch(/ listens on .*\n\nOpen this page /);
    // The ledger has looked for refunds meanwhile, and only the two refunds have lines.
    expect(operationsOf(server, 'demo ledger')).toEqual(['succeedRefund', 'succeedRefund']);
    expect(ledgers.filter(isRunning)).toEqual([]);
  },
);

test('the ledger of the demo ends when the service is killed', async () => {
  const server = await start({ DEMO: 'on' });
  const [ledger = 0] = ledgersOf(server);
  await server.stop('SIGKILL');
  await until(() => !isRunning(ledger));
});

/** Makes an attempt to reach an endpoint on this machine, with a new key of the mode. */
async function attempted(
  { url: service }: Server,
  url: string,
  mode: string,
  database: Record<string, string>,
) {
  const make = async (...words: string[]) =>
    JSON.parse((await commandLine(words, database)).stdout);
  const { id: organization } = await make('org', 'create', 'Shop');
  const { key } = await make('key', 'create', '--org', organization, '--mode', mode);
  const endpoints = `${service}/v1/webhook_endpoints`;
  const { id } = (await post(endpoints, { key, body: { url } })).body;
  return (await post(`${endpoints}/${id}/test`, { key, body: {} })).body;
}
const REFUSED = { status_code: null, error: expect.stringContaining('not at a public address') };

test('with DEMO=off, a refund waits for another ledger, and webhooks reach this machine in test mode only', async () => {
  const server = await start({ DEMO: 'off' });
  const read = await refund(server);
  expect([ledgersOf(server), (await read()).status]).toEqual([[], 'pending']);
  const receiver = await startReceiver();
  const embedded = { DATA_DIR: dataDir };
  expect(await attempted(server, receiver.url, 'test', embedded)).toMatchObject({
    status_code: 204,
  });
  expect(
    await attempted(server, receiver.url.replace('http', 'https'), 'live', embedded),
  ).toMatchObject(REFUSED);
  expect(await attempted(server, 'https://10.0.0.1/', 'test', embedded)).toMatchObject(REFUSED);
  expect(receiver.received).toHaveLength(1);
  await receiver.close();
  await server.stop();
});

test('with DATABASE_URL, the service has no ledger of its own, and no webhook reaches this machine', async () => {
  const database = await createDatabase();
  const server = await start({ DEMO: 'on', DATABASE_URL: database.url });
  expect(ledgersOf(server)).toEqual([]);
  const given = { DATABASE_URL: database.url };
  expect(await attempted(server, 'http://localhost:4000/', 'test', given)).toMatchObject(REFUSED);
  await server.stop();
  await database.drop();
});
