/** The small ledger and the policy of examples/ run beside the service. */
import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import { useService, useShop } from '../../test/kit/setup.js';
import { createDatabase, withClient } from '../../test/support/postgres.js';
import { run, until } from '../../test/support/processes.js';
import { listen } from '../../test/support/sockets.js';
import { createKey } from '../../test/support/tenants.js';

const service = useService();
const shop = useShop(service);

// This test is the first one, because its worker would pay the refunds that the other test leaves.
test('records and books with the small ledger a refund from the dashboard, and its return', async () => {
  const payment = await shop.capture();
  const inDashboard = {
    id: 'd_1',
    refund: '',
    payment,
    amount: 500,
    currency: 'usd',
    failure_reason: null,
  };
  let status = 'pending';
  let looks = 0;
  const provider = createServer(({ url }, response) => {
    const isLook = url === '/refunds?refund=';
    looks += isLook ? 1 : 0;
    const data = isLook ? [{ ...inDashboard, status }] : [];
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }));
  });
  const PROVIDER_URL = `http://127.0.0.1:${await listen(provider)}`;
  const book = await createDatabase({ empty: true });
  const { child, ended } = run(['dist/examples/ledger/ledger.js'], {
    TILLGATE_URL: service.url,
    TILLGATE_LEDGER_KEY: shop.ledgerKey,
    LEDGER_DATABASE_URL: book.url,
    PROVIDER_URL,
    POLL_SECONDS: '1',
  });
  const refunds = async () =>
    (await shop.ledgerGet(`/ledger/v1/refunds?status=all&payment=${payment}`)).body.data;
  const captured = `SELECT balance::integer FROM accounts WHERE name = 'captured ${payment}'`;
  const balance = () =>
    withClient(book.url, async (client) => (await client.query(captured)).rows[0]?.balance);
  const untilItLooked = async () => {
    const before = looks;
    await until(() => looks >= before + 2);
  };

  await untilItLooked();
  expect(await refunds()).toEqual([]);
  status = 'succeeded';
  await until(async () => (await balance()) === 4500);
  await untilItLooked();
  expect(await refunds()).toMatchObject([
    { amount: 500, status: 'succeeded', provider_reference: 'd_1' },
  ]);
  expect((await shop.amountsOf(payment)).refunded).toBe(500);
  status = 'returned';
  await until(async () => (await refunds())[0].status === 'failed');
  expect([await balance(), (await refunds()).length]).toEqual([5000, 1]);

  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ status: 0, stderr: '' });
  provider.close();
  await book.drop();
});

test('approves small refunds with the policy, says why, and leaves splits and other currencies', async () => {
  const { organization } = shop;
  const bot = shop.as(await createKey(service, { organization, rights: ['propose'] }));
  const policy = await createKey(service, { organization, rights: ['approve'], holder: 'policy' });
  const propose = async (payment: string, amount: number, description: string | null = 'Torn.') =>
    (await bot.post('/v1/refunds', { payment, amount, description })).body.id as string;
  const capture = (currency = 'usd') => shop.capture({ amount: 50_000, currency });
  const split = await capture();
  const left = [
    await propose(await capture(), 10_000),
    await propose(await capture('jpy'), 1),
    await propose(await capture(), 1, null),
    await propose(split, 5_000),
    await propose(split, 5_000),
  ];
  const small = await propose(await capture(), 9_999);
  const settings = { TILLGATE_URL: service.url, TILLGATE_KEY: policy, POLL_SECONDS: '0.1' };
  const { child, ended } = run(['dist/examples/policy.js'], settings);
  const approvalOf = async (id: string) => (await shop.get(`/v1/refunds/${id}/approval`)).body;
  await until(async () => (await approvalOf(small)).state === 'approved');
  expect(await approvalOf(small)).toMatchObject({
    decided_by: { holder: 'policy' },
    comment: 'The refunds of the payment are below 10000 usd.',
  });
  // The policy reads the whole list before it approves a refund that was proposed after its start.
  const later = await propose(await capture(), 1);
  await until(async () => (await approvalOf(later)).state === 'approved');
  for (const id of left) expect((await approvalOf(id)).state).toBe('waiting');
  child.kill();
  expect((await ended).stderr).toBe('');
});
