/** The tools for agents find out what a key may do, and write nothing for it. */
import { beforeAll, expect, test } from '@jest/globals';
import { Tillgate } from '../../client/src/index.js';
import { useService } from '../../test/kit/setup.js';
import { Shop } from '../../test/support/shop.js';
import { freePort } from '../../test/support/sockets.js';
import { createKey } from '../../test/support/tenants.js';
import { type Right, rightsOf, UnfitKey } from '../src/rights.js';

const service = useService();
let shop: Shop;
let before: string[];

const rights = (key: string) => rightsOf(new Tillgate({ baseUrl: service.url, key }));
const keyWith = (rights: readonly Right[]) =>
  createKey(service, { organization: shop.organization, rights });

beforeAll(async () => {
  shop = await Shop.open(service);
  before = await shop.idsOf('/v1/events');
});

test.each<{ given: Right[] }>([
  { given: [] },
  { given: ['sessions'] },
  { given: ['propose'] },
  { given: ['sessions', 'propose'] },
])('a key has the rights $given, and asking for them writes nothing', async ({ given }) => {
  expect([...(await rights(await keyWith(given)))]).toEqual(given);
  expect(await shop.idsOf('/v1/events')).toEqual(before);
});

test.each([
  ['may approve', () => keyWith(['propose', 'approve'])],
  ['is unknown', () => `rk_test_${'x'.repeat(38)}`],
])('no agent works with a key that %s', async (_, keyOf) => {
  await expect(rights(await keyOf())).rejects.toThrow(UnfitKey);
});

test('where Tillgate does not answer, nothing is known', async () => {
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  const silent = new Tillgate({ baseUrl, key: 'rk_test_x', maxRetries: 0 });
  await expect(rightsOf(silent)).rejects.toThrow('The service could not be reached.');
});
