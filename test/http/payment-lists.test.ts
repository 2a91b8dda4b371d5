/** The lists of payments: by session for merchants, by reference for the ledger. */
import { describe, expect, test } from '@jest/globals';
import { useService, useShop } from '../support/setup.js';
import { Shop, unknownId } from '../support/shop.js';

const MERCHANTS = '/v1/payments';
const LEDGERS = '/ledger/v1/payments';

const service = useService();
const shop = useShop(service);

function list(data: readonly { id: string }[], hasMore = false) {
  const cursor = hasMore ? data.at(-1)?.id : null;
  return { object: 'list', data, has_more: hasMore, next_cursor: cursor, items: data, nextCursor: cursor };
}

async function record(facts: Record<string, unknown> = {}) {
  const { organization: _, reference: __, ...payment } = (await shop.record(facts)).body;
  return payment;
}

describe("a merchant's list", () => {
  test('pages newest first, each payment once', async () => {
    const made = [];
    for (let at = 0; at < 5; at++) made.unshift(await record());
    const first = (await shop.get(`${MERCHANTS}?limit=3`)).body;
    expect(first).toEqual(list(made.slice(0, 3), true));
    await record();
    expect((await shop.get(`${MERCHANTS}?limit=3&cursor=${first.next_cursor}`)).body).toEqual(list(made.slice(3)));
  });

  test('filters by creation time, and refuses from after to', async () => {
    const { created, id } = await record();
    const at = async (from: number, to: number) => (await shop.get(`${MERCHANTS}?from=${from}&to=${to}`)).body;
    expect((await at(created, created + 1)).data.map((one: { id: string }) => one.id)).toEqual([id]);
    expect(await at(created + 1, created + 2)).toEqual(list([]));
    expect(await at(created - 1, created)).toEqual(list([]));
    expect((await at(created, created - 1)).error.code).toBe('invalid_param');
  });

  test('has no payments of another organization or mode', async () => {
    const session = (await shop.createSession()).body.id;
    await record({ amount: 1000, checkout_session: session });
    const stranger = await Shop.open(service);
    expect((await stranger.get(MERCHANTS)).body).toEqual(list([]));
    expect((await stranger.get(`${MERCHANTS}?checkout_session=${session}`)).body).toEqual(list([]));
    const live = unknownId('cs_live');
    expect((await shop.get(`${MERCHANTS}?checkout_session=${live}`)).body).toEqual(list([]));
  });
});

describe("the ledger's list", () => {
  const find = async (query: string) => (await shop.ledgerGet(`${LEDGERS}?${query}`)).body;

  test('finds payments by reference, in any organization', async () => {
    const reference = `capture-${shop.organization}`;
    const other = await Shop.open(service, { ledgerKey: shop.ledgerKey });
    const first = (await shop.record({ reference })).body;
    const second = (await other.record({ reference })).body;
    await shop.record({ reference: `${reference}-other` });
    expect(await find(`reference=${reference}`)).toEqual(list([second, first]));
    expect(await find(`reference=${reference}&limit=1`)).toEqual(list([second], true));
    expect(await find(`reference=${reference}&cursor=${second.id}`)).toEqual(list([first]));
    expect(await find(`reference=${reference}&organization=${shop.organization}`)).toEqual(list([first]));
    expect(await find('reference=nothing')).toEqual(list([]));
  });

  test('filters by session, by organization, and by all filters together', async () => {
    const session = (await shop.createSession()).body.id;
    const paid = (await shop.record({ amount: 1000, checkout_session: session, reference: 'r-1' })).body;
    const late = (await shop.record({ amount: 1, checkout_session: session, on_mismatch: 'record' })).body;
    const alone = (await shop.record()).body;
    const mine = `organization=${shop.organization}`;
    expect(await find(mine)).toEqual(list([alone, late, paid]));
    expect(await find(`checkout_session=${session}`)).toEqual(list([late, paid]));
    expect(await find(`${mine}&checkout_session=${session}&reference=r-1`)).toEqual(list([paid]));
    expect(await find(`checkout_session=${unknownId('cs_live')}`)).toEqual(list([]));
    expect((await find('limit=1')).data).toEqual([alone]);
  });
});
