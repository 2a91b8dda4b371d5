/**
 * A key is refused on the surfaces of other keys. A restricted key may do what its rights name. A
 * live key finds no sandbox.
 */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { RIGHTS, type Right } from '../../src/modules/access/domain/api-key.js';
import { MODES } from '../../src/shared/caller.js';
import { useService, useShop } from '../kit/setup.js';
import { post, type Reply, send } from '../support/client.js';
import { DOCUMENT } from '../support/document.js';
import { expectError, expectInvalid, listResources, refusal } from '../support/envelope.js';
import { head, sendBytes } from '../support/raw.js';
import { unknownId } from '../support/shop.js';
import { createKey, createLedgerKey, createOperatorKey } from '../support/tenants.js';

const NEEDED: Readonly<Record<string, Right>> = {
  'POST /v1/checkout_sessions': 'sessions',
  'POST /v1/checkout_sessions/{id}/expire': 'sessions',
  'POST /v1/checkout_sessions/{id}/complete': 'sessions',
  'POST /v1/refunds': 'propose',
  'POST /v1/refunds/{id}/cancel': 'propose',
  'POST /v1/refunds/{id}/approve': 'approve',
  'POST /v1/refunds/{id}/reject': 'approve',
};
const PAGE = 'https://shop.example';

const service = useService();
const shop = useShop(service, {}, beforeAll);
/** The map has a restricted key for each right, one without rights, and one with all of them. */
const restricted = new Map<string, string>();
/** Each list has keys of both modes. */
const keys: Record<string, readonly (string | undefined)[]> = { none: [undefined] };

beforeAll(async () => {
  const { organization } = shop;
  for (const rights of [[], ...RIGHTS.map((right) => [right]), RIGHTS])
    restricted.set(
      rights.join(),
      await createKey(service, { organization, rights, allowedOrigins: [PAGE] }),
    );
  keys.secret = [...MODES.map((mode) => shop.tenant[mode]), restricted.get('')];
  keys.ledger = await Promise.all(MODES.map((mode) => createLedgerKey(service, mode)));
  keys.operator = [await createOperatorKey(service)];
});

const { paths } = DOCUMENT;

/** The list has every operation that needs a key, with the example of its ID. */
const OPERATIONS = Object.keys(paths).flatMap((path) =>
  Object.entries<Reply['body']>(paths[path])
    .filter(([, { security }]) => security.length > 0 && !path.startsWith('/metrics'))
    .map(([method, { parameters }]) => {
      const id = parameters.find(({ name }: { name?: string }) => name === 'id')?.schema
        .examples[0];
      const name = `${method.toUpperCase()} ${path}`;
      return { name, method: method.toUpperCase(), path: path.replace('{id}', String(id)) };
    }),
);

test.each(OPERATIONS)(
  'accepts only keys of its own surface for $name',
  async ({ method, path }) => {
    const body = method === 'POST' ? {} : undefined;
    const ask = (key?: string) =>
      send(method, service.url + path, { key, body, idempotencyKey: 'surface' });
    const [, surface = 'secret'] = /^\/(ledger|operator)\//.exec(path) ?? [];
    expect((await ask(keys[surface]?.[0])).status).not.toBe(401);
    const others = Object.entries(keys).filter(([name]) => name !== surface);
    for (const key of others.flatMap(([, found]) => found)) {
      const refused = await ask(key);
      expect(refused.status).toBe(401);
      const next = { type: 'authenticate', path, method };
      expect(refused.body).toEqual(
        refusal('invalid_api_key', next, [{ param: 'Authorization', code: 'invalid_value' }]),
      );
      expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  },
);

test('names only operations that exist in the table of rights', () => {
  const names = OPERATIONS.map(({ name }) => name);
  expect(Object.keys(NEEDED).filter((name) => !names.includes(name))).toEqual([]);
});

test.each(OPERATIONS.filter(({ path }) => path.startsWith('/v1/')))(
  'accepts restricted keys only with the right for $name',
  async ({ name, method, path }) => {
    const right = NEEDED[name];
    for (const [rights, key] of restricted) {
      const body = method === 'GET' ? undefined : {};
      const reply = await send(method, service.url + path, {
        key,
        body,
        idempotencyKey: crypto.randomUUID(),
      });
      const isAllowed =
        method === 'GET' || (right !== undefined && rights.split(',').includes(right));
      if (isAllowed) expect(reply.body.error?.code).not.toBe('right_missing');
      else expectMissing(reply, method, path);
      if (method === 'GET') expect(reply.status).toBe(name.includes('{id}') ? 404 : 200);
    }
  },
);

function expectMissing(reply: Reply, method: string, path: string): void {
  const errors = [['Authorization', 'invalid_value']] as const;
  expectError(reply, {
    status: 403,
    code: 'right_missing',
    errors,
    nextStep: { type: 'use_key', path, method },
  });
}

test('refuses a missing right so that a page of an allowed origin can read the answer', async () => {
  const ask = (origin: string) =>
    send('POST', `${service.url}/v1/refunds`, {
      key: restricted.get(''),
      headers: { origin },
      body: {},
    });
  expect((await ask('https://evil.example')).body.error.code).toBe('origin_not_allowed');
  const missing = await ask(PAGE);
  expectMissing(missing, 'POST', '/v1/refunds');
  expect(missing.headers.get('access-control-allow-origin')).toBe(PAGE);
});

test('refuses an actor with a tab on a write, and ignores it on a read', async () => {
  const sent = { key: shop.key, headers: { 'tillgate-actor': 'a\tb' } };
  const refused = await send('POST', `${service.url}/v1/refunds`, { ...sent, body: {} });
  expectInvalid(refused, ['Tillgate-Actor', 'invalid_format']);
  expect((await send('GET', `${service.url}/v1/refunds`, sent)).status).toBe(200);
});

test.each([
  ['UTF-8', 'utf8', 'Ana María de José'],
  ['UTF-8', 'utf8', '李小龍 Зоя ﷺ'],
  ['UTF-8', 'utf8', '🦊'.repeat(100)],
  ['Latin-1', 'latin1', 'Zoë'],
] as const)('accepts in %s (%s) the actor %s', async (_, encoding, actor) => {
  const payment = await shop.capture();
  const header = Buffer.from(actor, encoding).toString('latin1');
  const { body } = await send('POST', `${service.url}/v1/refunds`, {
    key: shop.key,
    body: { payment, amount: 1 },
    idempotencyKey: randomUUID(),
    headers: { 'tillgate-actor': header },
  });
  const approval = await shop.get(`/v1/refunds/${body.id}/approval`);
  expect(approval.body.proposed_by.actor).toBe(actor);
});

test.each([
  ['🦊'.repeat(101), 'too_long'],
  ['A\u200bna', 'invalid_format'],
  ['Ana\u00a0', 'invalid_format'],
  ['Ana\u2028Ben', 'invalid_format'],
  ['A\u0085na', 'invalid_format'],
  ['\ufeffAna', 'invalid_format'],
])('refuses the actor %j', async (actor, code) => {
  const header = Buffer.from(actor).toString('latin1');
  const sent = { key: shop.key, body: {}, headers: { 'tillgate-actor': header } };
  const refused = await send('POST', `${service.url}/v1/refunds`, sent);
  expectInvalid(refused, ['Tillgate-Actor', code]);
});

test('refuses a request with two actors', async () => {
  const lines = [
    'Host: shop',
    `Authorization: Bearer ${shop.key}`,
    'Tillgate-Actor: Ana',
    'Tillgate-Actor: Ben',
  ];
  expectInvalid(await sendBytes(service.url, head('POST /v1/refunds HTTP/1.1', ...lines)), [
    'Tillgate-Actor',
    'duplicate',
  ]);
});

const READS_BY_ID = Object.keys(paths).filter((path) => paths[path].get && path.includes('{id}'));

test.each(READS_BY_ID)(
  'refuses unknown query parameters at GET %s, and leads from a malformed ID to the list',
  async (path) => {
    const [, surface = 'secret'] = /^\/(ledger|operator)\//.exec(path) ?? [];
    const read = (id: string, query: object) => {
      const address = new URL(service.url + path.replace('{id}', id));
      address.search = String(new URLSearchParams({ ...query }));
      return send('GET', address.href, { key: keys[surface]?.[0] });
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
    expect(malformed.body).toEqual(
      refusal('invalid_param', fix(list), [{ param: 'id', code: 'invalid_format' }]),
    );
    expect([unknown.status, malformed.status]).toEqual([400, 400]);
  },
);

const HELPERS = '/v1/test_helpers';
const liveAndMalformed = (prefix: string) => [unknownId(`${prefix}_live`), 'malformed'];

test.each([
  ...liveAndMalformed('cs').map((id) => `checkout_sessions/${id}/pay`),
  ...['succeed', 'fail', 'return'].flatMap((action) =>
    liveAndMalformed('re').map((id) => `refunds/${id}/${action}`),
  ),
  'clock',
])('finds no %s for a live key, whatever else is wrong', async (path) => {
  const liveKeys = [
    shop.tenant.live,
    await createKey(service, { organization: shop.organization, mode: 'live', rights: RIGHTS }),
  ];
  for (const key of liveKeys) {
    const unknown = await post(`${service.url}/v1/nothing`, { key, body: {} });
    for (const sent of [
      { body: {} },
      { body: '{', idempotencyKey: '' },
      { headers: { 'content-type': 'text/xml' } },
    ]) {
      const answer = await send('POST', `${service.url}${HELPERS}/${path}`, { key, ...sent });
      expect(answer.status).toBe(404);
      expect(answer.body.error).toEqual(unknown.body.error);
      expect(answer.body).toEqual(refusal('not_found', listResources('/v1/checkout_sessions'), []));
    }
  }
});
