/**
 * The platform's backend makes merchants and their keys through the operator's API, each of them
 * once.
 */
import { beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { TillgateOperator } from '../../client/src/operator.js';
import { ManageOrganizations } from '../../src/modules/access/application/manage-organizations.js';
import { uuidOf } from '../../src/shared/id.js';
import { useService } from '../kit/setup.js';
import { describedFetch, get, post, type Reply, SMALLEST } from '../support/client.js';
import { expectError, expectInvalid } from '../support/envelope.js';
import { openPage, visit } from '../support/page.js';
import { until } from '../support/processes.js';
import { Shop } from '../support/shop.js';
import { createOperatorKey } from '../support/tenants.js';

const ORGANIZATIONS = '/operator/v1/organizations';
const SOME_ID = expect.stringMatching(/^(org|key)_[0-9a-z]{26}$/);
const TEMPLATE = 'https://pay.example/{CHECKOUT_SESSION_ID}';
const lines: Record<string, unknown>[] = [];
const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });

const service = useService({
  log,
  config: { logRequests: 'errors', publicUrl: 'https://pay.example' },
});
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
  const secrets = () => service.application.get(ManageOrganizations).webhookSecrets(id);
  const previous = await secrets();
  const before = Math.floor(Date.now() / 1000);
  const rotated = await operator.organizations.rotateWebhookSecret(id, { overlap_seconds: 60 });
  const secret = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const facts = {
    object: 'webhook_secret',
    organization: id,
    secret,
    previous_expires_at: expect.any(Number),
  };
  expect(rotated).toEqual(facts);
  expect(rotated.previous_expires_at - before).toBeGreaterThanOrEqual(60);
  expect(rotated.previous_expires_at - before).toBeLessThan(120);
  expect(previous).toEqual([secret]);
  expect(await secrets()).toEqual([rotated.secret, ...previous]);
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
