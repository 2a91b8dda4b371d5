/** Agents create one checkout session for each order, however often they ask. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { useService } from '../kit/setup.js';
import { Agent, describeIfBuilt } from '../support/agent.js';
import { atOnce } from '../support/client.js';
import { Shop } from '../support/shop.js';
import { createKey } from '../support/tenants.js';

const service = useService({ config: { publicUrl: 'https://checkout.example' } });
const LINES = [
  { name: 'Blue shirt', unit_amount: 1299, quantity: 2 },
  { name: 'Mug', unit_amount: 802 },
];

describeIfBuilt('an agent that sells', () => {
  let shop: Shop;
  let agent: Agent;

  const create = (reference: string, more: object = {}) =>
    agent.call('create_session', { reference, currency: 'usd', lines: LINES, ...more });

  beforeAll(async () => {
    shop = await Shop.open(service);
    const { organization } = shop;
    const rights = ['sessions'] as const;
    const TILLGATE_KEY = await createKey(service, { organization, rights });
    agent = await Agent.open({ TILLGATE_URL: service.url, TILLGATE_KEY });
  });
  afterAll(() => agent.end());

  test('gets the page, the time to pay and the total in words', async () => {
    const created = await create('order-1');
    const { session, page_url: url, expires_at: expires } = created;
    const { url: page } = (await shop.get(`/v1/checkout_sessions/${session.id}/page`)).body;
    const until = new Date(expires * 1000).toLocaleString('en', {
      ...{ year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit' },
      ...{ timeZone: 'UTC', timeZoneName: 'short' },
    });
    expect([url, expires]).toEqual([page, session.expires_at]);
    expect(created).toMatchObject({
      session: { status: 'open', amount_total: 3400, metadata: { reference: 'order-1' } },
      is_other: false,
      summary: `Order order-1: 2 × Blue shirt, 1 × Mug. Total: $34.00. To be paid until ${until}, on ${url}.`,
    });
  });

  test('gets one session for one call, however often it is made, and others for others', async () => {
    const answers: string[] = [];
    await atOnce(10, async () => {
      answers.push((await create('order-2')).session.id);
    });
    expect(new Set(answers).size).toBe(1);
    expect(await shop.idsOf('/v1/checkout_sessions?reference=order-2')).toHaveLength(1);
    const other = await create('order-2', { lines: LINES.slice(1) });
    expect(other).toMatchObject({ is_other: false, session: { amount_total: 802 } });
  });

  test('gets a new session where the one before expired, each time', async () => {
    const ids: string[] = [];
    for (const _ of [1, 2, 3]) {
      const { session } = await create('order-3');
      ids.push(session.id);
      await shop.expire(session.id);
    }
    expect(new Set(ids).size).toBe(3);
    expect((await create('order-3')).session.status).toBe('open');
  });

  test('is told that an order is paid, and gets no second page to pay it', async () => {
    const { session } = await create('order-4');
    await shop.capture({ amount: 3400, checkout_session: session.id });
    expect(await create('order-4')).toMatchObject({
      session: { id: session.id, status: 'complete' },
      page_url: null,
      summary:
        'Order order-4: 2 × Blue shirt, 1 × Mug. Total: $34.00. It is complete: nothing is left to pay.',
    });
  });

  test('is told what is wrong with a session that cannot be', async () => {
    const { error } = await create('order-5', { currency: 'xau' });
    expect(error).toMatchObject({ code: 'invalid_param', next_call: null });
  });
});
