/** The small ledger of examples/ beside the service: what was refunded in the provider's dashboard is in both books, once. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { useService, useShop } from '../kit/setup.js';
import { createDatabase, withClient } from '../support/postgres.js';
import { run, until } from '../support/processes.js';

const service = useService();
const shop = useShop(service);

test('a refund in the dashboard is recorded and booked, and so is its return', async () => {
  const payment = await shop.capture();
  const inDashboard = { id: 'd_1', refund: '', payment, amount: 500, currency: 'usd', failure_reason: null };
  let status = 'pending';
  let looks = 0;
  const provider = createServer(({ url }, response) => {
    const isLook = url === '/refunds?refund=';
    looks += isLook ? 1 : 0;
    const data = isLook ? [{ ...inDashboard, status }] : [];
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }));
  }).listen(0, '127.0.0.1');
  await until(() => provider.listening);
  const book = await createDatabase({ empty: true });
  const { child, ended } = run(['dist/examples/ledger/ledger.js'], {
    TILLGATE_URL: service.url,
    TILLGATE_LEDGER_KEY: shop.ledgerKey,
    LEDGER_DATABASE_URL: book.url,
    PROVIDER_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
    POLL_SECONDS: '1',
  });
  const refunds = async () => (await shop.ledgerGet(`/ledger/v1/refunds?status=all&payment=${payment}`)).body.data;
  const captured = `SELECT balance::integer FROM accounts WHERE name = 'captured ${payment}'`;
  const balance = () => withClient(book.url, async (client) => (await client.query(captured)).rows[0]?.balance);
  const untilItLooked = async () => {
    const before = looks;
    await until(() => looks >= before + 2);
  };

  await untilItLooked();
  expect(await refunds()).toEqual([]);
  status = 'succeeded';
  await until(async () => (await balance()) === 4500);
  await untilItLooked();
  expect(await refunds()).toMatchObject([{ amount: 500, status: 'succeeded', provider_reference: 'd_1' }]);
  expect((await shop.amountsOf(payment)).refunded).toBe(500);
  status = 'returned';
  await until(async () => (await refunds())[0].status === 'failed');
  expect([await balance(), (await refunds()).length]).toEqual([5000, 1]);

  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ status: 0, stderr: '' });
  provider.close();
  await book.drop();
});
