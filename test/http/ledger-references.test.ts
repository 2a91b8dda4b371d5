import { expect, test } from '@jest/globals';
import { useOther, useService, useShop } from '../kit/setup.js';
import { atOnce, type Reply, untilDecided } from '../support/client.js';
import { expectBalanced } from '../support/reconciled.js';
import type { Shop } from '../support/shop.js';

const RACERS = 50;

const service = useService();
const other = useOther(service);
const shop = useShop(service);

/** Half of the requests to each instance, all at once. */
function race(request: (shop: Shop, racer: number) => Promise<Reply>): Promise<Reply[]> {
  return atOnce(RACERS, (racer) => untilDecided(() => request(shop.at(racer % 2 ? service : other), racer)));
}

const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort();
const idsOf = (replies: readonly Reply[]) => [...new Set(replies.map(({ body }) => body.id))];
const ONE_NEW = [...Array<number>(RACERS - 1).fill(200), 201];

async function countPayments(ids: readonly string[]): Promise<number> {
  const found = await Promise.all(ids.map((id) => shop.get(`/v1/payments/${id}`)));
  return found.filter(({ status }) => status === 200).length;
}

test('50 at once with one reference and 50 keys record one payment', async () => {
  const replies = await race((at) => at.record({ reference: 'race' }));
  expect(statusesOf(replies)).toEqual(ONE_NEW);
  expect(idsOf(replies)).toHaveLength(1);
  expect(await countPayments(idsOf(replies))).toBe(1);
  await expectBalanced(service);
});

test('50 at once with one reference for one session complete it once', async () => {
  const session = (await shop.createSession()).body.id;
  const replies = await race((at) => at.record({ amount: 1000, checkout_session: session, reference: 'race' }));
  expect(statusesOf(replies)).toEqual(ONE_NEW);
  expect(idsOf(replies)).toHaveLength(1);
  await expectBalanced(service);
});

test('50 at once with one reference and other amounts record one and refuse the others', async () => {
  const replies = await race((at, racer) => at.record({ reference: 'race', amount: 1 + racer }));
  expect(statusesOf(replies)).toEqual([201, ...Array<number>(RACERS - 1).fill(422)]);
});
