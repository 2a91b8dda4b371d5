/** A merchant whose answers are lost proposes the same refund again and again, under new keys: it exists once. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { atOnce, post } from '../support/client.js';
import { FAULTS, startHttpProxy } from '../support/http-proxy.js';
import { expectBalanced } from '../support/reconciled.js';
import { useProcesses, useService, useShop } from '../support/setup.js';

const ANSWERS = 1_000;
const CLIENTS = 20;
const PAST_RETENTION_SECONDS = 3 * 86_400;

const service = useService();
const shop = useShop(service);
const processes = useProcesses(service);
const proxies: Awaited<ReturnType<typeof startHttpProxy>>[] = [];

beforeAll(async () => {
  for (const { url } of processes) proxies.push(await startHttpProxy(url));
});

afterAll(async () => {
  for (const proxy of proxies) await proxy.close();
});

test(`${ANSWERS} lost answers, each to a new key, also after the keys are forgotten: one refund`, async () => {
  const payment = (await shop.record({ amount: 5000 })).body.id;
  const proposal = { payment, amount: 100, reference: 'return 4711' };
  const propose = (url: string) =>
    post(`${url}/v1/refunds`, { key: shop.key, body: proposal, idempotencyKey: randomUUID() });
  const loseHalf = async () => {
    for (const proxy of proxies) proxy.meet(...Array(ANSWERS / 4).fill(FAULTS.cutAfter));
    const lost = await atOnce(CLIENTS, async (client) => {
      let count = 0;
      for (let at = 0; at < ANSWERS / 2 / CLIENTS; at++) {
        const { url } = proxies[(client + at) % proxies.length] as { url: string };
        await propose(url).catch(() => count++);
      }
      return count;
    });
    expect(lost.reduce((sum, count) => sum + count, 0)).toBe(ANSWERS / 2);
  };
  await loseHalf();
  await shop.bare('/v1/test_helpers/clock', { advance_seconds: PAST_RETENTION_SECONDS });
  await loseHalf();
  const answered = await propose(service.url);
  expect([answered.status, answered.body]).toEqual([200, expect.objectContaining({ amount: 100, status: 'pending' })]);
  const { data } = (await shop.get(`/v1/refunds?payment=${payment}`)).body;
  expect(data).toEqual([answered.body]);
  expect(await shop.amountsOf(payment)).toEqual({ captured: 5000, refunded: 0, pending: 100, left: 4900 });
  await expectBalanced(service);
});
