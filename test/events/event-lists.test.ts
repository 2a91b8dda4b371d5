import { beforeEach, expect, jest, test } from '@jest/globals';
import { Database } from '../../src/persistence/database.js';
import { uuidOf } from '../../src/shared/id.js';
import { useService, useShop } from '../kit/setup.js';
import { LARGE, SMALLEST } from '../support/client.js';

const service = useService();
const shop = useShop(service);
let refund: string;
/** The list has the resources of all events, oldest first. */
let all: string[];

beforeEach(async () => {
  all = [];
  for (let at = 0; at < 5; at++) all.push((await shop.createSession()).body.id);
  const payment = (await shop.record()).body.id;
  refund = (await shop.propose(payment, 400)).body.id;
  all.push(payment, refund);
});

interface Listed {
  readonly id: string;
  readonly data: { readonly object: { readonly id: string } };
}

/** Reads all pages, and compares each with its envelope. */
async function walk(query: string): Promise<string[]> {
  const found: string[] = [];
  for (let cursor = ''; ; ) {
    const { body, text } = await shop.get(`/v1/events?${query}&limit=100${cursor}`);
    const data: Listed[] = body.data;
    const next = body.has_more || query.includes('asc') ? data.at(-1)?.id : null;
    const { has_more } = body;
    expect(body).toEqual({
      object: 'list',
      data,
      has_more,
      next_cursor: next,
      items: data,
      nextCursor: next,
    });
    // Each event stands twice in a page.
    expect(text.length).toBeLessThan(4 * 1024 * 1024);
    found.push(...data.map((event) => event.data.object.id));
    if (!has_more) return found;
    cursor = `&cursor=${next}`;
  }
}

const QUERIES = [
  'order=asc',
  'order=desc',
  ...['asc', 'desc'].map((way) => `order=${way}&type=checkout.session.created`),
];

test('ends a page of large events early, with at least one event and has_more', async () => {
  for (let at = 0; at < 10; at++)
    all.push((await shop.createSession({ ...SMALLEST, ...LARGE })).body.id);
  for (const query of QUERIES) {
    const expected = query.includes('type') ? all.filter((id) => id.startsWith('cs_')) : all;
    expect(await walk(query)).toEqual(query.includes('asc') ? expected : expected.toReversed());
  }
  const pages = await Promise.all(
    [1, 4, 5, 100].map((limit) => shop.get(`/v1/events?limit=${limit}`)),
  );
  expect(pages.map(({ body }) => [body.data.length, body.has_more])).toEqual([
    [1, true],
    [4, true],
    [5, true],
    [5, true],
  ]);
});

test('reads for the ledger only the events of a resource, however many came since', async () => {
  const { sql, application } = service;
  const [session = ''] = all;
  await sql.query(
    `INSERT INTO events (organization_id, mode, id, type, object_id, sequence, data)
      SELECT gen_random_uuid(), mode, overlay(gen_random_uuid()::text PLACING 'f' FROM 1)::uuid, type, gen_random_uuid(), 1, data
      FROM events CROSS JOIN generate_series(1, 10000) WHERE object_id = $1`,
    [uuidOf(session)],
  );
  await sql.query('VACUUM ANALYZE events');
  const read = jest.spyOn(application.get(Database), 'read');
  const { body } = await shop.ledgerGet(`/ledger/v1/events?object=${session}`);
  const statements = read.mock.calls.filter(([, { name }]) =>
    /^(events|checkout_sessions)\./.test(name),
  );
  read.mockRestore();
  expect(body.data).toMatchObject([
    { organization: shop.organization, data: { object: { id: session } } },
  ]);
  let blocks = 0;
  for (const [, { text }, values] of statements) {
    const { rows } = await sql.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, [
      ...values,
    ]);
    const { 'Shared Hit Blocks': hit, 'Shared Read Blocks': fetched } =
      rows[0]['QUERY PLAN'][0].Plan;
    blocks += hit + fetched;
  }
  expect(statements).not.toEqual([]);
  expect(blocks).toBeLessThan(40);
});
