/**
 * The platform's backend makes merchants and their keys through the operator's API, each of them
 * once.
 */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { TillgateOperator } from '../../client/src/operator.js';
import { ManageApiKeys } from '../../src/modules/access/index.js';
import { uuidOf } from '../../src/shared/id.js';
import { useOther, useService } from '../kit/setup.js';
import {
  atOnce,
  describedFetch,
  get,
  post,
  type Reply,
  SMALLEST,
  untilDecided,
} from '../support/client.js';
import { expectError, expectInvalid } from '../support/envelope.js';
import { openPage, visit } from '../support/page.js';
import { until } from '../support/processes.js';
import { Shop } from '../support/shop.js';
import { createLedgerKey, createOperatorKey } from '../support/tenants.js';

const ORGANIZATIONS = '/operator/v1/organizations';
const SOME_ID = expect.stringMatching(/^(org|key)_[0-9a-z]{26}$/);
const UNKNOWN = 'org_01kaf3v7q4e8yt5w6z9x2c1b0n';
const TEMPLATE = 'https://pay.example/{CHECKOUT_SESSION_ID}';
const lines: Record<string, unknown>[] = [];
const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });

const service = useService({
  log,
  config: { logRequests: 'errors', publicUrl: 'https://pay.example' },
});
const other = useOther(service);
let key: string;
let operator: TillgateOperator;

beforeAll(async () => {
  key = await createOperatorKey(service);
  operator = new TillgateOperator({ baseUrl: service.url, key, fetch: describedFetch });
});

const write = (
  path: string,
  body?: object,
  idempotencyKey?: string,
  { url } = service,
): Promise<Reply> =>
  post(url + path, { key, body, ...(idempotencyKey !== undefined && { idempotencyKey }) });
const count = async (table: string) =>
  (await service.sql.query(`SELECT count(*)::int FROM ${table}`)).rows[0].count;

test.each(['https://shop.example', 'null'])(
  'refuses an operator key from a browser, whose Origin is %s',
  async (origin) => {
    const body = { name: 'From a browser' };
    const before = await count('organizations');
    const headers = { origin };
    const refused = await post(service.url + ORGANIZATIONS, { key, body, headers });
    expectError(refused, {
      status: 403,
      code: 'origin_not_allowed',
      errors: [['Origin', 'invalid_value']],
    });
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    expect(await count('organizations')).toBe(before);
  },
);

test('creates, reads, lists and changes an organization', async () => {
  const made = await operator.organizations.create({ name: ' Acme ', reference: 'merchant 1' });
  const fields = {
    contact: null,
    terms_url: null,
    privacy_url: null,
    payment_url: { test: null, live: null },
  };
  expect(made).toEqual({
    id: SOME_ID,
    object: 'organization',
    name: 'Acme',
    reference: 'merchant 1',
    ...fields,
    refund_approval: 'keys',
    details_retention_days: null,
    unique_references: false,
    created: expect.any(Number),
  });
  expect(await operator.organizations.retrieve(made.id)).toEqual(made);
  const next = await operator.organizations.create({ name: 'Other' });
  expect((await Array.fromAsync(operator.organizations.list({ limit: 1 }))).slice(0, 2)).toEqual([
    next,
    made,
  ]);
  expect(await Array.fromAsync(operator.organizations.list({ reference: 'merchant 1' }))).toEqual([
    made,
  ]);
  const change = {
    name: 'Acme Ltd',
    contact: "o'neil@bücher.example",
    terms_url: 'https://acme.example/terms',
    payment_url: { live: TEMPLATE },
    refund_approval: 'all',
    details_retention_days: 30,
    unique_references: true,
  } as const;
  const changed = { ...made, ...change, payment_url: { test: null, live: TEMPLATE } };
  expect(await operator.organizations.change(made.id, change)).toEqual(changed);
  expect(await operator.organizations.change(made.id, {})).toEqual(changed);
  const back = {
    contact: null,
    payment_url: { test: 'http://127.0.0.1/{CHECKOUT_SESSION_ID}', live: null },
  };
  expect(await operator.organizations.change(made.id, back)).toEqual({ ...changed, ...back });
  expect(await operator.organizations.retrieve(made.id)).toEqual({ ...changed, ...back });
});

test('creates, lists, rotates and revokes a key, and lets it in meanwhile', async () => {
  const { id: organization } = await operator.organizations.create({ name: 'Keys' });
  const terms = { mode: 'test' as const, holder: 'Web shop', origins: ['https://shop.example'] };
  const { key: token, ...made } = await operator.apiKeys.create(organization, terms);
  expect(made).toEqual({
    id: SOME_ID,
    object: 'api_key',
    organization,
    kind: 'secret',
    ...terms,
    rights: [],
    prefix: token.slice(0, 12),
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    created: expect.any(Number),
  });
  const sessions = (as: string) => get(`${service.url}/v1/checkout_sessions`, { key: as });
  expect((await sessions(token)).status).toBe(200);
  const lastUsed = async () =>
    (await Array.fromAsync(operator.apiKeys.list(organization))).at(-1)?.last_used_at;
  await until(async () => typeof (await lastUsed()) === 'number', 'the time of the last use');

  const { key: next, ...rotated } = await operator.apiKeys.rotate(made.id, { overlap_seconds: 60 });
  expect(rotated).toEqual({
    ...made,
    id: SOME_ID,
    prefix: next.slice(0, 12),
    created: expect.any(Number),
  });
  for (const as of [token, next]) expect((await sessions(as)).status).toBe(200);
  const revoked = await operator.apiKeys.revoke(made.id);
  expect(revoked).toMatchObject({
    id: made.id,
    revoked_at: expect.any(Number),
    expires_at: expect.any(Number),
  });
  expect(await operator.apiKeys.revoke(made.id)).toEqual(revoked);
  expect([(await sessions(token)).status, (await sessions(next)).status]).toEqual([401, 200]);
  expectInvalid(await write(`/operator/v1/api_keys/${made.id}/rotate`), ['id', 'invalid_value']);

  const rights: ('sessions' | 'propose')[] = ['sessions', 'propose'];
  const expires_at = Math.floor(Date.now() / 1000) + 60;
  const limited = { mode: 'live' as const, kind: 'restricted' as const, rights, expires_at };
  const { key: _, ...restricted } = await operator.apiKeys.create(organization, limited);
  expect(restricted).toMatchObject({
    ...limited,
    holder: restricted.id,
    prefix: expect.stringMatching(/^rk_live_/),
  });
  const listed = await Array.fromAsync(operator.apiKeys.list(organization, { limit: 1 }));
  expect([listed.length, listed[0]]).toEqual([3, restricted]);
  const { id } = restricted;
  const kept = { rights, holder: id, expires_at };
  expect(await operator.apiKeys.rotate(id)).toMatchObject(kept);
  const unlimited = await operator.apiKeys.rotate(id, { expires_at: null });
  expect(unlimited).toMatchObject({ ...kept, expires_at: null });
  const longer = { expires_at: expires_at + 60 };
  expect(await operator.apiKeys.rotate(id, longer)).toMatchObject({ ...kept, ...longer });
});

test('rotates the webhook secret, and the previous one signs for the overlap', async () => {
  const { id } = await operator.organizations.create({ name: 'Secret' });
  const before = Math.floor(Date.now() / 1000);
  const rotated = await operator.organizations.rotateWebhookSecret(id, { overlap_seconds: 10 });
  const secret = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const facts = {
    object: 'webhook_secret',
    organization: id,
    secret,
    previous_expires_at: expect.any(Number),
  };
  expect(rotated).toEqual(facts);
  expect(rotated.previous_expires_at - before).toBeGreaterThanOrEqual(10);
  expect(rotated.previous_expires_at - before).toBeLessThan(70);
});

describe('input that is refused', () => {
  const KEYS = `${ORGANIZATIONS}/{id}/api_keys`;
  const ROWS: [
    path: string,
    body: object,
    ...faults: [param: string, code: string, allowed?: string[]][],
  ][] = [
    [
      ORGANIZATIONS,
      { name: '\u200b', reference: ' x' },
      ['name', 'invalid_format'],
      ['reference', 'invalid_format'],
    ],
    [
      ORGANIZATIONS,
      { name: 'x'.repeat(256), reference: 'x'.repeat(256) },
      ['name', 'too_long'],
      ['reference', 'too_long'],
    ],
    [ORGANIZATIONS, { name: 'x', webhook_secret: 'x' }, ['webhook_secret', 'unknown_field']],
    [`${ORGANIZATIONS}/{id}`, { contact: 'x', name: 'Taken' }, ['contact', 'invalid_format']],
    [`${ORGANIZATIONS}/{id}`, { contact: 'a b@a.example' }, ['contact', 'invalid_format']],
    [`${ORGANIZATIONS}/{id}`, { contact: 'http://a.example/@b' }, ['contact', 'invalid_format']],
    [
      `${ORGANIZATIONS}/{id}`,
      { privacy_url: 'https://a@b.example' },
      ['privacy_url', 'invalid_format'],
    ],
    [`${ORGANIZATIONS}/{id}`, { name: null }, ['name', 'invalid_type']],
    [`${ORGANIZATIONS}/{id}`, { refund_approval: null }, ['refund_approval', 'invalid_type']],
    [`${ORGANIZATIONS}/{id}`, { payment_url: null }, ['payment_url', 'invalid_type']],
    [
      `${ORGANIZATIONS}/{id}`,
      { payment_url: { prod: TEMPLATE } },
      ['payment_url.prod', 'unknown_field'],
    ],
    [
      `${ORGANIZATIONS}/{id}`,
      { name: 'Taken', payment_url: { test: TEMPLATE, live: TEMPLATE.replace('https', 'http') } },
      ['payment_url.live', 'invalid_format'],
    ],
    [
      `${ORGANIZATIONS}/{id}`,
      { refund_approval: 'some' },
      ['refund_approval', 'invalid_value', ['keys', 'all']],
    ],
    [
      `${ORGANIZATIONS}/{id}`,
      { details_retention_days: 0 },
      ['details_retention_days', 'too_small'],
    ],
    [
      `${ORGANIZATIONS}/{id}`,
      { details_retention_days: 3651 },
      ['details_retention_days', 'too_large'],
    ],
    [KEYS, {}, ['mode', 'required', ['test', 'live']]],
    [KEYS, { mode: 'test', kind: 'operator' }, ['kind', 'invalid_value', ['secret', 'restricted']]],
    [KEYS, { mode: 'test', rights: ['approve'] }, ['rights', 'invalid_value']],
    [
      KEYS,
      { mode: 'test', kind: 'restricted', rights: ['all'] },
      ['rights[0]', 'invalid_value', ['sessions', 'propose', 'approve']],
    ],
    [KEYS, { mode: 'test', holder: '' }, ['holder', 'too_short']],
    [KEYS, { mode: 'test', holder: 'x'.repeat(101) }, ['holder', 'too_long']],
    [KEYS, { mode: 'test', holder: 'Ana ' }, ['holder', 'invalid_format']],
    [KEYS, { mode: 'test', holder: '\u00a0Ana' }, ['holder', 'invalid_format']],
    [KEYS, { mode: 'test', holder: 'A\u200bna' }, ['holder', 'invalid_format']],
    [KEYS, { mode: 'test', holder: 'Ana\nBen' }, ['holder', 'invalid_format']],
    [KEYS, { mode: 'test', origins: ['https://a.example', '*'] }, ['origins[1]', 'invalid_format']],
    [KEYS, { mode: 'test', expires_at: 1_700_000_000 }, ['expires_at', 'too_small']],
    [
      `${ORGANIZATIONS}/{id}/webhook_secret/rotate`,
      { overlap_seconds: 604_801 },
      ['overlap_seconds', 'too_large'],
    ],
  ];

  test.each(ROWS)('refuses at %s the body %j', async (path, body, ...faults) => {
    const { id } = await operator.organizations.create({ name: 'Good' });
    const unchanged = await operator.organizations.retrieve(id);
    const counts = () => Promise.all(['organizations', 'api_keys', 'idempotency_keys'].map(count));
    const before = await counts();
    expectInvalid(await write(path.replace('{id}', id), body), ...faults);
    expect(await counts()).toEqual(before);
    expect(await operator.organizations.retrieve(id)).toEqual(unchanged);
  });

  test('finds no keys and no secret of an organization that does not exist', async () => {
    const nextStep = { type: 'list_resources', path: ORGANIZATIONS, method: 'GET' };
    const missing = {
      status: 404,
      code: 'not_found',
      errors: [['id', 'invalid_value']],
      nextStep,
    } as const;
    const path = `${ORGANIZATIONS}/${UNKNOWN}`;
    for (const rest of ['', '/api_keys'])
      expectError(await get(service.url + path + rest, { key }), missing);
    for (const [rest, body] of Object.entries({
      '': {},
      '/api_keys': { mode: 'test' },
      '/webhook_secret/rotate': {},
    }))
      expectError(await write(path + rest, body), missing);
  });

  test('finds no key of a ledger or an operator, so that no key can make a mightier one', async () => {
    await createLedgerKey(service);
    const { items: keys } = await service.application.get(ManageApiKeys).list(null);
    expect(new Set(keys.map(({ state }) => state.kind))).toEqual(new Set(['operator', 'ledger']));
    for (const { state } of keys) {
      for (const action of ['rotate', 'revoke']) {
        const reply = await write(`/operator/v1/api_keys/${state.id}/${action}`);
        expectError(reply, { status: 404, code: 'not_found', errors: [['id', 'invalid_value']] });
      }
    }
  });
});

describe('a write that is sent again', () => {
  test('makes one organization of 1,000 creates of one reference at once', async () => {
    const replies = await atOnce(1000, (index) =>
      untilDecided(() =>
        write(
          ORGANIZATIONS,
          { name: 'Race', reference: 'race' },
          `race-${index}`,
          index % 2 ? other : service,
        ),
      ),
    );
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(999);
    const again = await write(ORGANIZATIONS, { name: 'Other', reference: 'race' });
    const nextStep = {
      type: 'read_resource',
      path: `${ORGANIZATIONS}/${replies[0]?.body.id}`,
      method: 'GET',
    };
    const errors = [['reference', 'invalid_value']] as const;
    expectError(again, { status: 422, code: 'organization_reference_reused', errors, nextStep });
  });

  test('keeps an idempotency key for one path only', async () => {
    const [one, two] = [
      await write(ORGANIZATIONS, { name: 'One' }, 'same'),
      await write(ORGANIZATIONS, { name: 'One' }, 'same'),
    ];
    expect(two.text).toBe(one.text);
    const another = await operator.organizations.create({ name: 'Another' });
    const made = await atOnce(2, (index) =>
      write(
        `${ORGANIZATIONS}/${index ? another.id : one.body.id}/api_keys`,
        { mode: 'test' },
        'same',
      ),
    );
    expect(made.map(({ body }) => body.organization)).toEqual([one.body.id, another.id]);
    expectError(await write(ORGANIZATIONS, { name: 'Two' }, 'same'), {
      status: 422,
      code: 'idempotency_key_reused',
      errors: [['Idempotency-Key', 'invalid_value']],
    });
  });

  test('replays a secret byte for byte, and keeps it out of all tables and the log', async () => {
    const { id } = await operator.organizations.create({ name: 'Secrets' });
    const secrets: string[] = [];
    const twice = async (path: string, body: object) => {
      const idempotencyKey = randomUUID();
      const first = await write(path, body, idempotencyKey);
      const second = await write(path, body, idempotencyKey, other);
      expect([second.text, second.status]).toEqual([first.text, first.status]);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      secrets.push(first.body.key ?? first.body.secret);
      return first.body;
    };
    const made = await twice(`${ORGANIZATIONS}/${id}/api_keys`, { mode: 'live' });
    await twice(`/operator/v1/api_keys/${made.id}/rotate`, {});
    for (const overlap_seconds of [1, 2]) {
      await twice(`${ORGANIZATIONS}/${id}/webhook_secret/rotate`, { overlap_seconds });
    }
    const { rows } = await service.sql.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
    );
    const dumped = await Promise.all(
      rows.map(({ name }) => service.sql.query(`SELECT ${name}::text FROM ${name}`)),
    );
    const dump = JSON.stringify(dumped.map((table) => table.rows));
    expect(dump).toContain(made.prefix);
    for (const secret of [...secrets, key])
      expect(dump + JSON.stringify(lines)).not.toContain(secret);
  });

  test('keeps all changes of different fields that are made at once', async () => {
    const { id } = await operator.organizations.create({ name: 'Changes' });
    for (let round = 0; round < 20; round++) {
      const changes = {
        name: `Name ${round}`,
        contact: `${round}@a.example`,
        details_retention_days: round + 1,
      };
      const fields = Object.entries(changes);
      await Promise.all(
        fields.map(([name, value]) => write(`${ORGANIZATIONS}/${id}`, { [name]: value })),
      );
      expect(await operator.organizations.retrieve(id)).toMatchObject(changes);
    }
  });
});

test('refuses a revoked key at once on the same instance, however much it is used meanwhile', async () => {
  const { id: organization } = await operator.organizations.create({ name: 'Revoked' });
  const ask = (as: string) => get(`${service.url}/v1/refunds?limit=1`, { key: as });
  for (let round = 0; round < 10; round++) {
    const { id, key: token } = await operator.apiKeys.create(organization, { mode: 'test' });
    let isOver = false;
    const reading = async () => {
      while (!isOver) await ask(token);
    };
    const readers = [reading(), reading(), reading(), reading()];
    await operator.apiKeys.revoke(id);
    expect((await ask(token)).status).toBe(401);
    isOver = true;
    await Promise.all(readers);
  }
});

test('logs each write with the key and its holder, whatever else is left out of the log', async () => {
  const { id } = await operator.organizations.create({ name: 'Log' });
  await get(service.url + ORGANIZATIONS, { key });
  const renamed = await write(`${ORGANIZATIONS}/${id}`, { name: 'Logged' });
  const find = () => lines.find((line) => line.request_id === renamed.headers.get('request-id'));
  await until(() => find() !== undefined, 'a line in the log');
  expect(find()).toMatchObject({
    operation: 'changeOrganization',
    status: 200,
    resource: id,
    key: key.slice(0, 12),
    key_id: SOME_ID,
    holder: 'Sign-up',
  });
  expect(
    lines.filter(({ operation, status }) => operation === 'listOrganizations' && status === 200),
  ).toEqual([]);
});

test('reads an organization and shows its page though no encryption key reads its webhook secret', async () => {
  const shop = await Shop.open(service);
  const { path } = await openPage(shop, SMALLEST);
  const unreadable = `encrypted:${Buffer.alloc(64).toString('base64')}`;
  await service.sql.query('UPDATE organizations SET webhook_secret = $1 WHERE id = $2', [
    unreadable,
    uuidOf(shop.organization),
  ]);
  expect(await operator.organizations.retrieve(shop.organization)).toMatchObject({
    id: shop.organization,
  });
  expect((await get(`${service.url}${ORGANIZATIONS}`, { key })).status).toBe(200);
  expect((await visit(service.url + path)).status).toBe(200);
});
