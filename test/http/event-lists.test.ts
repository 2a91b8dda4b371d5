import { beforeEach, expect, test } from '@jest/globals';
import { get, post, SMALLEST } from '../support/client.js';
import { capture, createTenant, type Tenant } from '../support/service.js';
import { LARGE } from '../support/sessions.js';
import { useService } from '../support/setup.js';

const service = useService();
let tenant: Tenant;
let payment: string;
let refund: string;
let sessions: string[];

beforeEach(async () => {
  tenant = await createTenant(service);
  sessions = [];
  for (let at = 0; at < 5; at++) sessions.push((await send('/v1/checkout_sessions', SMALLEST)).body.id);
  payment = await capture(service, tenant, { amount: 1000 });
  refund = (await send('/v1/refunds', { payment, amount: 400 })).body.id;
});

const read = (path: string, key = tenant.test) => get(`${service.url}${path}`, { key });
const send = (path: string, body: unknown) => post(`${service.url}${path}`, { key: tenant.test, body });

const objects = (body: { data: { data: { object: { id: string } } }[] }) => body.data.map((one) => one.data.object.id);

test.each([
  ['order=asc', () => [...sessions, payment, refund]],
  ['order=desc', () => [refund, payment, ...sessions.toReversed()]],
  ['order=asc&type=checkout.session.created', () => sessions],
  ['order=desc&type=checkout.session.created', () => sessions.toReversed()],
])('pages ?%s, each event once', async (query, expected) => {
  const found: string[] = [];
  let cursor = '';
  do {
    const { body } = await read(`/v1/events?${query}&limit=2${cursor && `&cursor=${cursor}`}`);
    expect(body).toEqual({
      object: 'list',
      data: expect.any(Array),
      has_more: expect.any(Boolean),
      next_cursor: body.has_more || query.includes('asc') ? body.data.at(-1).id : null,
      items: body.data,
      nextCursor: body.next_cursor,
    });
    found.push(...objects(body));
    cursor = body.has_more && body.next_cursor;
  } while (cursor);
  expect(found).toEqual(expected());
});

test('a page of large events ends early, has at least one event, and has has_more', async () => {
  const large: string[] = [];
  for (let at = 0; at < 10; at++) large.push((await send('/v1/checkout_sessions', { ...SMALLEST, ...LARGE })).body.id);
  const expected = [refund, payment, ...sessions.toReversed()];
  for (const query of ['order=desc', 'order=asc', 'order=desc&type=checkout.session.created']) {
    const found: string[] = [];
    let cursor = '';
    do {
      const { body, text } = await read(`/v1/events?${query}&limit=100${cursor && `&cursor=${cursor}`}`);
      // Each event stands in it twice.
      expect(text.length).toBeLessThan(4 * 1024 * 1024);
      expect(body.data.length).toBeGreaterThan(0);
      const next = body.has_more || query.includes('asc') ? body.data.at(-1).id : null;
      expect([body.items, body.nextCursor, body.next_cursor]).toEqual([body.data, next, next]);
      found.push(...objects(body));
      cursor = body.has_more && next;
    } while (cursor);
    const all = [...large.toReversed(), ...expected].filter((id) => !query.includes('type') || id.startsWith('cs_'));
    expect(found).toEqual(query.includes('asc') ? all.toReversed() : all);
  }
  const pages = await Promise.all([1, 4, 5, 100].map((limit) => read(`/v1/events?limit=${limit}`)));
  expect(pages.map(({ body }) => [body.data.length, body.has_more])).toEqual([
    [1, true],
    [4, true],
    [5, true],
    [5, true],
  ]);
});

test('filters by type, by resource, by both, and by time', async () => {
  const { created } = (await read('/v1/events?limit=1')).body.data[0];
  const results = await Promise.all(
    [
      'type=refund.created',
      `object=${refund}`,
      `object=${refund}&type=refund.created`,
      `object=${refund}&type=refund.failed`,
      `object=${refund}&type=checkout.session.created`,
      `object=${refund.replace('re_test', 'cs_test')}`,
      `object=${refund.replace('test', 'live')}`,
      `from=${created + 1}`,
      `to=${created - 60}`,
      `order=asc&to=${created - 60}`,
      `order=asc&from=${created - 60}&type=refund.created`,
    ].map(async (query) => objects((await read(`/v1/events?${query}`)).body)),
  );
  expect(results).toEqual([[refund], [refund], [refund], [], [], [], [], [], [], [], [refund]]);
});

test('shows only the own organization and mode', async () => {
  const other = await createTenant(service);
  expect((await read('/v1/events', other.test)).body.data).toEqual([]);
  expect((await read('/v1/events', tenant.live)).body.data).toEqual([]);
  const [{ id }] = (await read('/v1/events')).body.data;
  const foreign = await read(`/v1/events/${id}`, other.test);
  expect([foreign.status, foreign.body.error.next_step]).toEqual([
    404,
    { type: 'list_resources', path: '/v1/events', method: 'GET' },
  ]);
  expect((await read(`/v1/events/${id}`, tenant.live)).status).toBe(200);
});
