/** The official client plays what people ask of an agent, and counts the calls of tools. */
import { beforeAll, expect, test } from '@jest/globals';
import { useService } from '../kit/setup.js';
import { describeIfBuilt, SERVER } from '../support/agent.js';
import { LINKED } from '../support/installed-client.js';
import { run } from '../support/processes.js';
import { Shop } from '../support/shop.js';
import { createKey } from '../support/tenants.js';

const service = useService({ config: { publicUrl: 'https://checkout.example' } });
let shop: Shop;

/** Makes a paid order of a blue shirt and a mug, and returns the payment. */
async function order(reference: string): Promise<string> {
  const line = (name: string, unit_amount: number) => ({
    price_data: { currency: 'usd', unit_amount, product_data: { name } },
  });
  const line_items = [line('Blue shirt', 1299), line('Mug', 900)];
  const session = { currency: 'usd', line_items, metadata: { reference } };
  const { id: checkout_session } = (await shop.createSession(session)).body;
  return shop.capture({ amount: 2199, checkout_session });
}

const keyWith = (rights: readonly ('propose' | 'sessions')[]) =>
  createKey(service, { organization: shop.organization, holder: 'agent', rights });

beforeAll(async () => {
  shop = await Shop.open(service);
  await order('4711');
  const payment = await order('4712');
  const { id } = (await shop.as(await keyWith(['propose'])).propose(payment, 500)).body;
  await shop.post(`/v1/refunds/${id}/reject`, { comment: 'No parcel came.' });
});

describeIfBuilt('what people ask', () => {
  test('takes an agent three calls at most, with no ID known', async () => {
    const { stdout, stderr, status } = await run(['mcp/test/people.js'], {
      ...LINKED,
      PORT: '',
      SERVER,
      TILLGATE_URL: service.url,
      AGENT_KEY: await keyWith(['propose', 'sessions']),
      READER_KEY: await keyWith([]),
    }).ended;
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^(TILLGATE_KEY lacks .*\n)?$/)]);
    expect(JSON.parse(stdout)).toEqual([
      {
        request: 'Refund the blue shirt of order 4711.',
        calls: ['find_payments', 'read_session', 'propose_refund'],
        told: '1299 usd waiting',
      },
      {
        request: 'Order 4711 wants 999.00 back, or what is left.',
        calls: ['find_payments', 'propose_refund', 'propose_refund'],
        told: '900 usd waiting',
      },
      {
        request: 'What became of the refund of order 4712?',
        calls: ['find_payments', 'list_refunds', 'read_refund'],
        told: 'rejected: No parcel came.',
      },
      {
        request: 'Refund order 4799.',
        calls: ['find_payments'],
        told: 'There is no such order.',
      },
      {
        request: 'I buy a blue shirt and a mug.',
        calls: ['create_session'],
        told: expect.stringMatching(/^Order 4713: 1 × Blue shirt, 1 × Mug. Total: \$21.99. To be/),
      },
      { request: 'Refund order 4711.', calls: [], told: 'I cannot refund.' },
    ]);
  });
});
