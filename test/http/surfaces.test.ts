/** Keys of one surface are refused on the other, on every route and in both modes. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { send } from '../support/client.js';
import { refusal } from '../support/refused-answer.js';
import { createKey, createLedgerKey, type Service, startService } from '../support/service.js';
import { Shop, unknownId } from '../support/shop.js';

const SESSION = unknownId('cs_test');
const REFUND = unknownId('re_test');

const PUBLIC: [string, string][] = [
  ['POST', '/v1/checkout_sessions'],
  ['GET', '/v1/checkout_sessions'],
  ['GET', `/v1/checkout_sessions/${SESSION}`],
  ['POST', `/v1/checkout_sessions/${SESSION}/expire`],
  ['POST', '/v1/refunds'],
  ['GET', '/v1/refunds'],
  ['GET', `/v1/refunds/${REFUND}`],
  ['POST', `/v1/refunds/${REFUND}/cancel`],
  ['GET', `/v1/payments/${unknownId('pay_test')}`],
];

const LEDGER: [string, string][] = [
  ['POST', '/ledger/v1/payments'],
  ['GET', '/ledger/v1/refunds'],
  ['GET', `/ledger/v1/payments/${unknownId('pay_test')}?organization=${unknownId('org')}`],
  ['GET', `/ledger/v1/checkout_sessions/${SESSION}?organization=${unknownId('org')}`],
  ['GET', `/ledger/v1/refunds/${REFUND}`],
  ['POST', `/ledger/v1/refunds/${REFUND}/succeed`],
  ['POST', `/ledger/v1/refunds/${REFUND}/fail`],
];

let service: Service;
let shop: Shop;

beforeAll(async () => {
  service = await startService();
  shop = await Shop.open(service);
});

afterAll(() => service.close());

async function expectRefused(method: string, path: string, key: string): Promise<void> {
  const body = method === 'POST' ? {} : undefined;
  const refused = await send(method, service.url + path, { key, body, idempotencyKey: 'surface' });
  expect(refused.status).toBe(401);
  const next = { type: 'authenticate', path, method };
  expect(refused.body).toEqual(refusal('invalid_api_key', next, [{ param: 'Authorization', code: 'invalid_value' }]));
  expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer/);
}

async function expectAdmitted(method: string, path: string, key: string): Promise<void> {
  const body = method === 'POST' ? {} : undefined;
  const { status } = await send(method, service.url + path, { key, body, idempotencyKey: 'surface' });
  expect([200, 400, 404]).toContain(status);
}

test.each(PUBLIC)('%s %s is for secret keys only', async (method, path) => {
  await expectAdmitted(method, path, shop.tenant.test);
  await expectRefused(method, path, shop.ledgerKey);
  await expectRefused(method, path, await createLedgerKey(service, 'live'));
});

test.each(LEDGER)('%s %s is for ledger keys only', async (method, path) => {
  await expectAdmitted(method, path, shop.ledgerKey);
  await expectRefused(method, path, shop.tenant.test);
  await expectRefused(method, path, await createKey(service, { organization: shop.organization, mode: 'live' }));
});

const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
const READS_BY_ID = Object.keys(paths).filter((path) => paths[path].get && path.includes('{id}'));

test.each(READS_BY_ID)(
  'GET %s refuses unknown query parameters, and a malformed ID leads to the list',
  async (path) => {
    const key = path.startsWith('/ledger/') ? shop.ledgerKey : shop.tenant.test;
    const read = (id: string, query: object) => {
      const address = new URL(service.url + path.replace('{id}', id));
      address.search = String(new URLSearchParams({ ...query }));
      return send('GET', address.href, { key });
    };
    const [{ schema }, { name }] = paths[path].get.parameters;
    const given = name === 'organization' ? { organization: shop.organization } : {};
    const unknown = await read(schema.examples[0], { ...given, colour: 'red' });
    const errors = [{ param: 'colour', code: 'unknown_field' }];
    const itself = path.replace('{id}', schema.examples[0]);
    const fix = (at: string) => ({ type: 'fix_request', path: at, method: 'GET' });
    expect(unknown.body).toEqual(refusal('invalid_param', fix(itself), errors));
    const malformed = await read('malformed', given);
    const ofPath = path.slice(0, path.indexOf('/{id}'));
    // The ledger has no list of sessions.
    const list = paths[ofPath]?.get ? ofPath : '/ledger/v1/events';
    expect(malformed.body).toEqual(refusal('invalid_param', fix(list), [{ param: 'id', code: 'invalid_format' }]));
    expect([unknown.status, malformed.status]).toEqual([400, 400]);
  },
);

test('a ledger key acts on every organization in its mode', async () => {
  const [live, other] = [await Shop.open(service, { mode: 'live' }), await Shop.open(service)];
  const payments = await Promise.all([shop, other, live].map(async (one) => (await one.record()).body));
  expect(payments.map(({ organization, mode }) => [organization, mode])).toEqual([
    [shop.organization, 'test'],
    [other.organization, 'test'],
    [live.organization, 'live'],
  ]);
  const [test, , inLive] = payments;
  const refund = (await live.propose(inLive.id, 100)).body;
  const listed = await shop.ledgerGet(`/ledger/v1/refunds?organization=${live.organization}`);
  expect(listed.body.data).toEqual([]);
  expect((await shop.succeed(refund.id)).status).toBe(404);
  const neighbours = (await shop.propose(test.id, 100)).body;
  expect((await other.succeed(neighbours.id)).body).toMatchObject({ organization: shop.organization });
});
