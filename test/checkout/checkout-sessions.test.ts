/**
 * These tests cover what the conformance cases cannot: time limits, both modes, large bodies, and
 * lists that change.
 */
import { beforeAll, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { useService, useShop } from '../kit/setup.js';
import { atOnce, type Reply, SMALLEST } from '../support/client.js';
import { TestClock } from '../support/clock.js';
import { expectInvalid } from '../support/envelope.js';
import { Shop } from '../support/shop.js';

const SESSIONS = '/v1/checkout_sessions';
const AT_START = 60;
const WRITERS = 3;

const clock = new TestClock();
const now = Math.floor(clock.now() / 1000);
const service = useService({ clock });
const shop = useShop(service);
let live: Shop;

beforeAll(async () => {
  live = await Shop.open(service, { mode: 'live' });
});

const lines = (count: number) => ({ line_items: Array(count).fill(SMALLEST.line_items[0]) });
const keys = (count: number) => ({
  metadata: Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, ''])),
});
const image = (url: string) => {
  const [{ price_data }] = structuredClone(SMALLEST.line_items) as [
    (typeof SMALLEST.line_items)[number],
  ];
  return {
    line_items: [{ price_data: { ...price_data, product_data: { name: 'Book', images: [url] } } }],
  };
};

const create = (changes: object, at: Shop = shop): Promise<Reply> =>
  at.createSession({ ...SMALLEST, ...changes });

test.each([
  ['line_items', lines(100), lines(101), 'too_long'],
  ['metadata', keys(50), keys(51), 'too_long'],
  // The bounds are five minutes and 24 hours, and a minute of grace for the caller's clock.
  ['expires_at', { expires_at: now + 240 }, { expires_at: now + 239 }, 'too_small'],
  ['expires_at', { expires_at: now + 86_460 }, { expires_at: now + 86_461 }, 'too_large'],
])(
  'accepts %s up to its bound and refuses it beyond (%#)',
  async (param, inside, outside, code) => {
    expect((await create(inside)).status).toBe(201);
    expectInvalid(await create(outside), [param, code]);
  },
);

test.each([
  [
    'https://shop.example:25/',
    'notify_url must be an absolute https URL (in test mode also http) without user information, with port 80, 443, or one from 1024 up.',
  ],
  [
    'http://shop.example/',
    'notify_url must be an https URL, or in test mode http to localhost; with WEBHOOK_ALLOW_PRIVATE=true, http to any host.',
  ],
])('says in the message why it sends no webhooks to %s', async (notify_url, message) => {
  expect((await create({ notify_url })).body.error.errors[0].message).toBe(message);
});

test.each([
  [
    `${SESSIONS}?page=2`,
    'page is not a field of this request; known here: limit, cursor, status, reference, from, to.',
  ],
  [`${SESSIONS}/cs_test_nope`, 'id must be cs_test_ or cs_live_ and 26 characters.'],
  [
    `${SESSIONS}/`,
    'No such route. Paths begin with /v1, /ledger/v1 or /operator/v1, and end without a slash.',
  ],
])('says in the message of %s what is wrong', async (path, message) => {
  expect((await shop.get(path)).body.error.message).toBe(message);
});

test.each([
  ...['success_url', 'cancel_url', 'return_url', 'notify_url'].map(
    (param) => [param, (url: string) => ({ [param]: url })] as const,
  ),
  ['line_items[0].price_data.product_data.images[0]', image],
] as const)('accepts http to localhost in %s in test mode only', async (param, change) => {
  const changes = change('http://localhost:8080/x');
  expect((await create(changes)).status).toBe(201);
  expectInvalid(await create(changes, live), [param, 'invalid_format']);
});

test('keeps the order of metadata, and accepts the names of inherited members as keys', async () => {
  const metadata = { zebra: '1', apple: '2', constructor: '3', toString: '4', 'mid dle': '5' };
  const { body } = await create({ metadata });
  const read = await shop.get(`${SESSIONS}/${body.id}`);
  for (const session of [body, read.body])
    expect(JSON.stringify(session.metadata)).toBe(JSON.stringify(metadata));
});

const createOne = async (): Promise<string> => (await shop.createSession()).body.id;
/** Moves the session's end into the past, as if its time had passed before any sweeper ran. */
const letTimeRunOut = (id: string) =>
  service.sql.query(
    `UPDATE checkout_sessions SET expires_at = now() - interval '1 second' WHERE id = $1`,
    [uuidOf(id)],
  );
/** Stores the end, as the sweeper does. */
const settle = (id: string) =>
  service.sql.query(`UPDATE checkout_sessions SET status = 'expired' WHERE id = $1`, [uuidOf(id)]);

test('lists every session that existed at the start exactly once and in order while others are created', async () => {
  const atStart: string[] = [];
  // Sessions are made in bursts, so that many of them share a millisecond.
  while (atStart.length < AT_START) atStart.push(...(await atOnce(20, createOne)));
  let isReading = true;
  let written = 0;
  const writers = atOnce(WRITERS, async (writer) => {
    for (let at = writer; isReading; at += WRITERS) {
      await createOne();
      await letTimeRunOut(atStart[at % AT_START] as string);
      written++;
    }
  });
  for (const limit of [1, 7, 100]) {
    const ids = await shop.idsOf(`${SESSIONS}?limit=${limit}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(ids.toSorted().reverse());
    expect(ids.filter((id) => atStart.includes(id)).sort()).toEqual(atStart.toSorted());
  }
  isReading = false;
  await writers;
  expect(written).toBeGreaterThan(WRITERS);
});

test('finds sessions by the exact reference in their metadata', async () => {
  const referring = async (reference: string, at = shop) =>
    (await create({ metadata: { reference } }, at)).body.id;
  const made = [
    await referring('order 4711'),
    await referring('order 4711'),
    await referring('order 4711'),
  ].reverse();
  const [other, unicode] = [
    await referring('Order 4711'),
    await referring('№ ß&=%'),
    await referring(' '),
  ];
  for (const session of [await createOne(), await referring('order 4711', live)])
    expect(made).not.toContain(session);
  const found = (reference: string, more = '') =>
    shop.idsOf(`${SESSIONS}?reference=${encodeURIComponent(reference)}${more}`);
  expect(await found('order 4711')).toEqual(made);
  expect(await found('order 4711', '&limit=1')).toEqual(made);
  expect([await found('Order 4711'), await found('№ ß&=%'), await found('order')]).toEqual([
    [other],
    [unicode],
    [],
  ]);
  expect((await shop.get(`${SESSIONS}?reference=%20`)).status).toBe(400);
  await shop.record({ amount: 1000, checkout_session: made[0] });
  await letTimeRunOut(made[1] as string);
  for (const [at, status] of ['complete', 'expired', 'open'].entries()) {
    expect(await found('order 4711', `&status=${status}`)).toEqual([made[at]]);
  }
  expect(await found('order 4711', '&from=2100-01-01')).toEqual([]);
  expectInvalid(await shop.get(`${SESSIONS}?reference=${'x'.repeat(501)}`), [
    'reference',
    'too_long',
  ]);
  const long = 'ß'.repeat(500);
  expect([await referring(long)]).toEqual(await found(long));
});

test('pages through every filter, with swept and overdue sessions mixed', async () => {
  const made = { open: [] as string[], complete: [] as string[], expired: [] as string[] };
  for (let round = 0; round < 3; round++) {
    const [open, paid, swept, overdue] = [
      await createOne(),
      await createOne(),
      await createOne(),
      await createOne(),
    ];
    await shop.record({ amount: 1000, checkout_session: paid });
    for (const id of [paid, swept, overdue]) await letTimeRunOut(id);
    await settle(swept);
    made.open.unshift(open);
    made.complete.unshift(paid);
    made.expired.unshift(overdue, swept);
  }
  for (const limit of [1, 2, 6]) {
    for (const [status, ids] of Object.entries(made))
      expect(await shop.idsOf(`${SESSIONS}?limit=${limit}&status=${status}`)).toEqual(ids);
  }
  const { data } = (await shop.get(SESSIONS)).body;
  const shown = Map.groupBy(data as { id: string; status: string }[], ({ status }) => status);
  for (const [status, ids] of Object.entries(made))
    expect(shown.get(status)?.map(({ id }) => id)).toEqual(ids);
});
