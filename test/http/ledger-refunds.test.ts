import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { expectBalanced } from '../support/reconciled.js';
import { type ExpectedError, fixRequest, listResources, readResource, refusal } from '../support/refused-answer.js';
import { type Service, startService } from '../support/service.js';
import { ownedRefund, Shop, unknownId } from '../support/shop.js';

const PATH = '/ledger/v1/refunds';

let service: Service;
let shop: Shop;

beforeAll(async () => {
  service = await startService();
});

beforeEach(async () => {
  shop = await Shop.open(service);
});

afterAll(() => service.close());

// biome-ignore lint/suspicious/noExplicitAny: a body as it came.
async function proposals(count: number, at: Shop = shop): Promise<any[]> {
  const payment = (await at.record()).body.id;
  const made = [];
  for (let number = 1; number <= count; number++) made.push((await at.propose(payment, number)).body);
  return made;
}

const ofShop = (query = '') => shop.ledgerGet(`${PATH}?organization=${shop.organization}${query}`);

function list(data: readonly unknown[], next: string | null = null) {
  return { object: 'list', data, has_more: next !== null, next_cursor: next, items: data, nextCursor: next };
}

describe('the list of proposals', () => {
  test('shows pending refunds of all organizations, oldest first, with their organization', async () => {
    // The only test in this mode: nobody else's proposals are in the way.
    const [one, two] = [await Shop.open(service, { mode: 'live' }), await Shop.open(service, { mode: 'live' })];
    const [first, settled] = await proposals(2, one);
    const [second] = await proposals(1, two);
    const [third] = await proposals(1, one);
    await one.succeed(settled.id);
    const listed = await one.ledgerGet(PATH);
    const expected = [
      ownedRefund(one.organization, first),
      ownedRefund(two.organization, second),
      ownedRefund(one.organization, third),
    ];
    expect([listed.status, listed.body]).toEqual([200, list(expected)]);
    expect(Object.keys(listed.body.data[0])).toEqual(Object.keys(expected[0] as object));
  });

  test('of one organization, by status', async () => {
    const [waiting, paid, refused, withdrawn] = await proposals(4);
    await proposals(1, await Shop.open(service));
    await Promise.all([shop.succeed(paid.id), shop.fail(refused.id), shop.cancel(withdrawn.id)]);
    const seen = (status: string) => ofShop(`&status=${status}`);
    const show = (refund: object, status: string) =>
      list([ownedRefund(shop.organization, { ...waiting, ...refund, status })]);
    expect((await ofShop()).body).toEqual(show(waiting, 'pending'));
    expect((await seen('pending')).body).toEqual(show(waiting, 'pending'));
    expect((await seen('succeeded')).body).toEqual(show(paid, 'succeeded'));
    expect((await seen('failed')).body).toEqual(show(refused, 'failed'));
    expect((await seen('canceled')).body).toEqual(show(withdrawn, 'canceled'));
  });

  test('an unknown organization has none', async () => {
    expect((await shop.ledgerGet(`${PATH}?organization=${unknownId('org')}`)).body).toEqual(list([]));
  });

  test('has 25 items on a page by default', async () => {
    const made = (await proposals(26)).map((refund) => ownedRefund(shop.organization, refund));
    expect((await ofShop()).body).toEqual(list(made.slice(0, 25), made[24]?.id));
    expect((await ofShop('&limit=26')).body).toEqual(list(made));
  });

  test('pages show refunds that stay pending exactly once, while others come and go', async () => {
    const made = await proposals(12);
    const [payment, seen]: [string, string[]] = [made[0].payment, []];
    let cursor = '';
    for (let page = 0; page < 10; page++) {
      const { body } = await ofShop(`&limit=3${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      if (!body.has_more) break;
      cursor = body.next_cursor;
      // The cursor itself is settled, as is one that is yet to come; a new one appears at the end.
      if (page < 3) await Promise.all([shop.succeed(cursor), shop.fail(made[page + 8].id)]);
      if (page < 3) await shop.propose(payment, 1);
    }
    const { body } = await ofShop('&limit=100');
    const staying = body.data.map(({ id }: { id: string }) => id);
    expect(staying.length).toBeGreaterThanOrEqual(9);
    expect(seen.filter((id) => staying.includes(id))).toEqual(staying);
    expect(new Set(seen).size).toBe(seen.length);
  });

  const statuses = ['pending', 'succeeded', 'failed', 'canceled'];

  test.each<[string, ExpectedError]>([
    ['status=open', { param: 'status', code: 'invalid_value', allowed: [...statuses, 'all'] }],
    ['limit=0', { param: 'limit', code: 'too_small' }],
    ['limit=101', { param: 'limit', code: 'too_large' }],
    ['limit=ten', { param: 'limit', code: 'invalid_type' }],
    ['organization=org_1', { param: 'organization', code: 'invalid_format' }],
    ['payment=1', { param: 'payment', code: 'invalid_format' }],
    ['limit=1&limit=2', { param: 'limit', code: 'duplicate' }],
  ])('refuses ?%s', async (query, error) => {
    const refused = await shop.ledgerGet(`${PATH}?${query}`);
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual(refusal('invalid_param', fixRequest('GET', PATH), [error]));
  });

  test('a bad cursor starts the list again', async () => {
    const refused = await shop.ledgerGet(`${PATH}?limit=3&cursor=re_1`);
    const next = { type: 'restart_list', path: `${PATH}?limit=3`, method: 'GET' };
    expect(refused.body).toEqual(refusal('invalid_param', next, [{ param: 'cursor', code: 'invalid_format' }]));
  });
});

describe.each([
  ['succeed', 'succeeded', 'fail'],
  ['fail', 'failed', 'succeed'],
])('%s', (verb, status, opposite) => {
  const path = (id: string, move = verb) => `${PATH}/${id}/${move}`;

  test.each([
    ['no body', undefined],
    ['an empty object', {}],
  ])('moves a pending refund, with %s', async (_, body) => {
    const [refund] = await proposals(1);
    const moved = await shop.bare(path(refund.id), body);
    expect([moved.status, moved.body]).toEqual([200, { ...ownedRefund(shop.organization, refund), status }]);
    expect((await shop.get(`/v1/refunds/${refund.id}`)).body).toEqual({ ...refund, status });
  });

  test('repeating it changes nothing', async () => {
    const [refund] = await proposals(1);
    const first = await shop.bare(path(refund.id));
    const amounts = await shop.amountsOf(refund.payment);
    const again = await shop.bare(path(refund.id));
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(await shop.amountsOf(refund.payment)).toEqual(amounts);
  });

  test('is refused after another decision', async () => {
    const [canceled, settled] = await proposals(2);
    await shop.cancel(canceled.id);
    await shop.bare(path(settled.id, opposite));
    const amounts = await shop.amountsOf(settled.payment);
    for (const { id } of [canceled, settled]) {
      const refused = await shop.bare(path(id));
      expect(refused.status).toBe(422);
      const errors = [{ param: 'id', code: 'invalid_value' }];
      expect(refused.body).toEqual(refusal('refund_not_pending', readResource(`/ledger/v1/refunds/${id}`), errors));
    }
    expect(await shop.amountsOf(settled.payment)).toEqual(amounts);
  });

  test('does not find an unknown refund, or one of the other mode', async () => {
    const [live] = await proposals(1, await Shop.open(service, { mode: 'live' }));
    for (const id of [unknownId('re_test'), unknownId('re_live'), live.id]) {
      const refused = await shop.bare(path(id));
      expect(refused.status).toBe(404);
      expect(refused.body).toEqual(refusal('not_found', listResources(PATH), [{ param: 'id', code: 'invalid_value' }]));
    }
    const settled = await service.sql.query(`SELECT 1 FROM refunds WHERE id = $1 AND status = 'pending'`, [
      uuidOf(live.id),
    ]);
    expect(settled.rowCount).toBe(1);
    // Leaves the live list to the test above.
    await (await Shop.open(service, { mode: 'live' })).succeed(live.id);
  });

  test('refuses a malformed id and unknown fields', async () => {
    const [{ id }] = await proposals(1);
    const malformed = await shop.bare(path('re_1'));
    const fix = (at: string) => fixRequest('POST', path(at));
    const list = fixRequest('GET', PATH);
    expect(malformed.body).toEqual(refusal('invalid_param', list, [{ param: 'id', code: 'invalid_format' }]));
    const unknown = await shop.bare(path(id), { amount: 1 });
    const errors = [{ param: 'amount', code: 'unknown_field' }];
    expect([unknown.status, unknown.body]).toEqual([400, refusal('invalid_param', fix(id), errors)]);
  });

  test('honours an idempotency key', async () => {
    const [one, two] = await proposals(2);
    const key = randomUUID();
    const first = await shop.ledgerPost(path(one.id), {}, key);
    const again = await shop.ledgerPost(path(one.id), {}, key);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await shop.ledgerPost(path(two.id), {}, key)).body.error.code).toBe('idempotency_key_reused');
    expect((await shop.get(`/v1/refunds/${two.id}`)).body.status).toBe('pending');
  });
});

describe('with the organization', () => {
  const ACTIONS: readonly [string, object][] = [
    ['extend', { claim: 1 }],
    ['release', { claim: 1 }],
    ['succeed', {}],
    ['return', {}],
    ['fail', {}],
  ];
  const notFound = refusal('not_found', listResources(PATH), [{ param: 'id', code: 'invalid_value' }]);

  test('a refund is read and decided as without', async () => {
    const { organization } = shop;
    const [{ id }, other] = await proposals(2);
    await shop.claim();
    const read = () => shop.ledgerGet(`${PATH}/${id}?organization=${organization}`);
    expect([(await read()).text, (await read()).status]).toEqual([(await shop.ledgerGet(`${PATH}/${id}`)).text, 200]);
    for (const [verb, body] of ACTIONS.slice(0, 4)) {
      const done = await shop.bare(`${PATH}/${id}/${verb}`, { ...body, organization });
      expect([done.status, done.text]).toEqual([200, (await read()).text]);
    }
    expect((await read()).body.status).toBe('failed');
    const failed = await shop.bare(`${PATH}/${other.id}/fail`, { claim: 1, organization });
    expect([failed.status, failed.body.status]).toEqual([200, 'failed']);
  });

  test('another organization’s refund is not found and does not change', async () => {
    const [refund] = await proposals(1);
    await shop.claim();
    const before = (await shop.ledgerGet(`${PATH}/${refund.id}`)).text;
    for (const organization of [(await Shop.open(service)).organization, unknownId('org')]) {
      const read = await shop.ledgerGet(`${PATH}/${refund.id}?organization=${organization}`);
      expect([read.status, read.body]).toEqual([404, notFound]);
      for (const [verb, body] of ACTIONS) {
        const refused = await shop.ledgerPost(`${PATH}/${refund.id}/${verb}`, { ...body, organization });
        expect([refused.status, refused.body]).toEqual([404, notFound]);
      }
    }
    expect((await shop.ledgerGet(`${PATH}/${refund.id}`)).text).toBe(before);
  });

  test.each([
    ['org_1', 'invalid_format'],
    [7, 'invalid_type'],
  ])('refuses %j', async (organization, code) => {
    const [{ id }] = await proposals(1);
    const refused = await shop.bare(`${PATH}/${id}/succeed`, { organization });
    expect([refused.status, refused.body.error.errors]).toMatchObject([400, [{ param: 'organization', code }]]);
  });
});

describe('the reason of a failure', () => {
  const reasonOf = async (id: string) => {
    const { rows } = await service.sql.query('SELECT failure_reason FROM refunds WHERE id = $1', [uuidOf(id)]);
    return rows[0].failure_reason;
  };

  test.each([
    ['of 500 characters', 'ü'.repeat(500)],
    ['of none', null],
  ])('%s is stored, and not replaced later', async (_, reason) => {
    const [{ id }] = await proposals(1);
    expect((await shop.fail(id, { reason })).status).toBe(200);
    expect((await shop.fail(id, { reason: 'another' })).status).toBe(200);
    expect(await reasonOf(id)).toBe(reason);
    await expectBalanced(service);
  });

  test.each([
    ['too long', 'r'.repeat(501), 'too_long'],
    ['a number', 7, 'invalid_type'],
  ])('is refused when it is %s', async (_, reason, code) => {
    const [{ id }] = await proposals(1);
    const refused = await shop.fail(id, { reason });
    const fix = fixRequest('POST', `${PATH}/${id}/fail`);
    expect([refused.status, refused.body]).toEqual([400, refusal('invalid_param', fix, [{ param: 'reason', code }])]);
    expect((await shop.get(`/v1/refunds/${id}`)).body.status).toBe('pending');
  });
});
