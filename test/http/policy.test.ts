/** The example of a policy: it approves what is small, and leaves the rest to people. */
import { expect, test } from '@jest/globals';
import { useService, useShop } from '../kit/setup.js';
import { run, until } from '../support/processes.js';
import { createKey } from '../support/tenants.js';

const service = useService();
const shop = useShop(service);

test('refunds below 100.00 are approved, others and those of other currencies wait for people', async () => {
  const { organization } = shop;
  const bot = shop.as(await createKey(service, { organization, rights: ['propose'] }));
  const policy = await createKey(service, { organization, rights: ['approve'], holder: 'policy' });
  const [dollars, yen] = [
    await shop.capture({ amount: 50_000 }),
    await shop.capture({ amount: 50_000, currency: 'jpy' }),
  ];
  const propose = async (payment: string, amount: number) => (await bot.propose(payment, amount)).body.id as string;
  const left = [await propose(dollars, 10_000), await propose(yen, 1)];
  const small = await propose(dollars, 9_999);
  const settings = { TILLGATE_URL: service.url, TILLGATE_KEY: policy, POLL_SECONDS: '0.1' };
  const { child, ended } = run(['dist/examples/policy.js'], settings);
  const approvalOf = async (id: string) => (await shop.get(`/v1/refunds/${id}/approval`)).body;
  await until(async () => (await approvalOf(small)).state === 'approved');
  expect(await approvalOf(small)).toMatchObject({ decided_by: { holder: 'policy' }, comment: 'Below 10000 usd.' });
  for (const id of left) expect((await approvalOf(id)).state).toBe('waiting');
  child.kill();
  expect((await ended).stderr).toBe('');
});
