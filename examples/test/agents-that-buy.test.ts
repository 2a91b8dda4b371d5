/** A platform speaks UCP, with Tillgate behind it, as docs/guides/agents-that-buy.md shows. */
import { expect, test } from '@jest/globals';
import { Tillgate, TillgateLedger } from '../../client/src/index.js';
import { useService, useShop } from '../../test/kit/setup.js';
import {
  adjustmentsOf,
  type Charge,
  type Checkout,
  complete,
  handOff,
  type Platform,
} from '../agents-that-buy.js';

const service = useService({ config: { publicUrl: 'https://checkout.example' } });
const shop = useShop(service);
const charges: string[] = [];

/** The payment provider charges once for each key, and declines the instrument `declined`. */
const charge: Charge = async ({ instrument, idempotencyKey }) => {
  const isNew = !charges.includes(idempotencyKey);
  if (instrument !== 'declined' && isNew) charges.push(idempotencyKey);
  return { id: `charge_of_${idempotencyKey}`, isPaid: instrument !== 'declined' };
};

const platform = (): Platform => ({
  tillgate: new Tillgate({ baseUrl: service.url, key: shop.key }),
  ledger: new TillgateLedger({ baseUrl: service.url, key: shop.ledgerKey }),
  organization: shop.organization,
  charge,
  orderUrl: (order) => `https://shop.example/orders/${order}`,
});

const checkoutOf = (order: string): Checkout => ({
  id: `chk_${order}`,
  order,
  currency: 'usd',
  lines: [{ title: 'Blue shirt', price: 1299, quantity: 2 }],
  shipping: 500,
  total: 3098,
});
const SHOWN = {
  currency: 'USD',
  line_items: [
    {
      id: 'line_1',
      item: { id: 'Blue shirt', title: 'Blue shirt', price: 1299 },
      quantity: 2,
      totals: [{ type: 'subtotal', amount: 2598 }],
    },
  ],
  totals: [
    { type: 'subtotal', amount: 2598 },
    { type: 'fulfillment', amount: 500 },
    { type: 'total', amount: 3098 },
  ],
};
const sessionsOf = async (order: string) =>
  (await shop.get(`/v1/checkout_sessions?reference=${order}`)).body.data;

test('an agent that completes a checkout twice pays once', async () => {
  const request = { instrument: 'card', idempotencyKey: 'complete-5001' };
  const answers = [1, 2].map(() => complete(platform(), checkoutOf('5001'), request));
  const order = { id: '5001', permalink_url: 'https://shop.example/orders/5001' };
  const completed = { ...SHOWN, id: 'chk_5001', status: 'completed', order };
  expect(await Promise.all(answers)).toEqual([completed, completed]);
  const [session, ...others] = await sessionsOf('5001');
  expect([session.status, others]).toEqual(['complete', []]);
  const { data } = (await shop.get(`/v1/payments?checkout_session=${session.id}`)).body;
  expect(data).toMatchObject([{ amount: 3098, mismatch: null }]);
  expect(charges).toEqual(['complete-5001']);
});

test('a declined instrument pays nothing, and another one completes the checkout', async () => {
  const attempt = (instrument: string, idempotencyKey: string) =>
    complete(platform(), checkoutOf('5002'), { instrument, idempotencyKey });
  const declined = await attempt('declined', 'complete-5002-1');
  expect([declined, await attempt('declined', 'complete-5002-1')]).toEqual(
    Array(2).fill({
      ...SHOWN,
      id: 'chk_5002',
      status: 'incomplete',
      messages: [expect.objectContaining({ severity: 'recoverable' })],
    }),
  );
  expect((await attempt('card', 'complete-5002-2')).status).toBe('completed');
  expect(await sessionsOf('5002')).toMatchObject([{ status: 'complete' }, { status: 'expired' }]);
});

test('a person pays on the page to which an agent leads', async () => {
  const handed = await handOff(platform(), checkoutOf('5003'), { idempotencyKey: 'page-5003' });
  const [{ id }] = await sessionsOf('5003');
  const { url, expires_at } = (await shop.get(`/v1/checkout_sessions/${id}/page`)).body;
  expect(handed).toEqual({
    ...SHOWN,
    id: 'chk_5003',
    status: 'requires_escalation',
    continue_url: url,
    expires_at: new Date(expires_at * 1000).toISOString(),
    messages: [expect.objectContaining({ severity: 'requires_buyer_input' })],
  });
});

test('the refunds of an order are its adjustments', async () => {
  const payment = await shop.capture({ amount: 3098 });
  const [pending, succeeded, canceled] = [
    (await shop.propose(payment, 100)).body,
    (await shop.propose(payment, 200)).body,
    (await shop.propose(payment, 300)).body,
  ];
  await shop.ledgerPost(`/ledger/v1/refunds/${succeeded.id}/succeed`);
  await shop.post(`/v1/refunds/${canceled.id}/cancel`);
  const adjustment = ({ id, created, amount }: typeof pending, status: string) => {
    const occurred_at = new Date(created * 1000).toISOString();
    return {
      id,
      type: 'refund',
      occurred_at,
      status,
      totals: [{ type: 'total', amount: -amount }],
    };
  };
  expect(await adjustmentsOf(platform(), payment)).toEqual([
    adjustment(pending, 'pending'),
    adjustment(succeeded, 'completed'),
    adjustment(canceled, 'failed'),
  ]);
});
