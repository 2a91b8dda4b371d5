/** The trail of keys and settings: who changed what, in the transaction of the change. */
import { userInfo } from 'node:os';
import { beforeAll, expect, test } from '@jest/globals';
import { OPERATOR_EVENT_ID } from '../../src/modules/access/domain/operator-event.js';
import { ManageOrganizations } from '../../src/modules/access/index.js';
import { Units } from '../../src/persistence/units.js';
import { newId, uuidOf } from '../../src/shared/id.js';
import { useService } from '../kit/setup.js';
import { get, post, type Reply, SMALLEST, send } from '../support/client.js';
import { command } from '../support/command.js';
import { expectError, expectInvalid, listResources } from '../support/envelope.js';
import { Shop } from '../support/shop.js';
import { createLedgerKey, createOperatorKey, createTenant } from '../support/tenants.js';

const PATH = '/operator/v1/events';
const SECONDS = expect.any(Number);

const service = useService();
let operator: string;

beforeAll(async () => {
  operator = await createOperatorKey(service, 'Sign-up');
});

const ask = (path: string, key = operator): Promise<Reply> => get(service.url + path, { key });
const write = (path: string, body: object, key = operator): Promise<Reply> =>
  post(service.url + path, { key, body });
const trailOf = async (organization: string) =>
  (await ask(`${PATH}?organization=${organization}&order=asc`)).body.data;
const OPERATOR = { via: 'api', key: expect.stringMatching(/^key_/), holder: 'Sign-up' };

const event = (type: string, organization: string | null, rest: object) => ({
  id: expect.stringMatching(/^oev_[0-9a-z]{26}$/),
  object: 'operator.event',
  type,
  organization,
  resource: organization,
  by: OPERATOR,
  changes: {},
  ...rest,
  created: SECONDS,
});

async function createOrganization(name = 'Acme'): Promise<string> {
  return (await write('/operator/v1/organizations', { name })).body.id;
}

test('an organization, its keys and its secret have a line for each change, with who made it', async () => {
  const id = await createOrganization();
  const path = `/operator/v1/organizations/${id}`;
  const change = { name: 'Acme Ltd', unique_references: true, contact: 'ana@acme.example' };
  await write(path, change);
  await write(path, change);
  const made = (await write(`${path}/api_keys`, { mode: 'test', holder: 'Web shop' })).body;
  const rotated = (await write(`/operator/v1/api_keys/${made.id}/rotate`, {})).body;
  for (const _ of [1, 2]) await write(`/operator/v1/api_keys/${rotated.id}/revoke`, {});
  await write(`${path}/webhook_secret/rotate`, {});
  expect(await trailOf(id)).toEqual([
    event('organization.created', id, { changes: { name: [null, 'Acme'] } }),
    event('organization.updated', id, {
      changes: {
        name: ['Acme', 'Acme Ltd'],
        contact: [null, '[e-mail address]'],
        unique_references: [false, true],
      },
    }),
    event('api_key.created', id, {
      resource: made.id,
      changes: {
        kind: [null, 'secret'],
        mode: [null, 'test'],
        holder: [null, 'Web shop'],
        rights: [null, []],
        origins: [null, []],
      },
    }),
    event('api_key.rotated', id, {
      resource: made.id,
      changes: { id: [made.id, rotated.id], expires_at: [null, SECONDS] },
    }),
    event('api_key.revoked', id, {
      resource: rotated.id,
      changes: { revoked_at: [null, SECONDS] },
    }),
    event('webhook_secret.rotated', id, {}),
  ]);
});

test('a merchant and a ledger that change their endpoints are named by key and holder', async () => {
  const shop = await Shop.open(service);
  const url = 'https://shop.example/hooks';
  const { id } = (await shop.post('/v1/webhook_endpoints', { url: `${url}?token=s3cret` })).body;
  await shop.post(`/v1/webhook_endpoints/${id}`, { enabled: false });
  await shop.post(`/v1/webhook_endpoints/${id}`, { enabled: false });
  await shop.post(`/v1/webhook_endpoints/${id}`, { url: `${url}?token=other` });
  await shop.post(`/v1/webhook_endpoints/${id}/rotate_secret`, {});
  await send('DELETE', `${service.url}/v1/webhook_endpoints/${id}`, { key: shop.key });
  const by = { via: 'api', key: expect.stringMatching(/^key_/), holder: expect.any(String) };
  const ofEndpoint = (type: string, changes: object) =>
    event(type, shop.organization, { resource: id, by, changes });
  const members = { mode: 'test', url: `${url}?…`, events: ['*'], enabled: true };
  const added = Object.entries(members).map(([name, value]) => [name, [null, value]]);
  const events = (await trailOf(shop.organization)).slice(-5);
  expect(events).toEqual([
    ofEndpoint('webhook_endpoint.created', Object.fromEntries(added)),
    ofEndpoint('webhook_endpoint.updated', { enabled: [true, false] }),
    ofEndpoint('webhook_endpoint.updated', { url: [`${url}?…`, `${url}?…`] }),
    ofEndpoint('webhook_secret.rotated', {}),
    ofEndpoint('webhook_endpoint.deleted', {
      mode: ['test', null],
      url: [`${url}?…`, null],
      events: [['*'], null],
      enabled: [false, null],
    }),
  ]);
  const ledger = await createLedgerKey(service);
  const made = await write('/ledger/v1/webhook_endpoints', { url }, ledger);
  const { body } = await ask(`${PATH}?type=webhook_endpoint.created&limit=1`);
  expect(body.data).toMatchObject([{ organization: null, resource: made.body.id, by }]);
});

test('a redaction that somebody asked for is in it, once, and what it removed is not', async () => {
  const shop = await Shop.open(service);
  const email = 'customer@planted.example';
  const { id } = (await shop.createSession({ ...SMALLEST, customer_email: email })).body;
  await shop.expire(id);
  for (const _ of [1, 2]) await shop.post(`/v1/checkout_sessions/${id}/redact`, {});
  const events = await trailOf(shop.organization);
  expect(events.filter(({ type }: { type: string }) => type.startsWith('checkout'))).toEqual([
    event('checkout_session.redacted', shop.organization, {
      resource: id,
      by: { via: 'api', key: expect.stringMatching(/^key_/), holder: expect.any(String) },
    }),
  ]);
  expect(JSON.stringify(events)).not.toContain(email);
});

test('a command is named by the user of the machine, also for keys of operators and ledgers', async () => {
  const run = async (...words: string[]) =>
    JSON.parse((await command(words, { DATABASE_URL: service.databaseUrl })).stdout);
  const { id } = await run('org', 'create', 'Shop');
  const key = await run('key', 'create', '--kind', 'operator', '--holder', 'Backend');
  const by = { via: 'command_line', key: null, holder: userInfo().username };
  expect(await trailOf(id)).toEqual([
    event('organization.created', id, { by, changes: { name: [null, 'Shop'] } }),
  ]);
  const { body } = await ask(`${PATH}?type=api_key.created&limit=1`);
  expect(body.data).toMatchObject([
    { organization: null, resource: key.id, by, changes: { holder: [null, 'Backend'] } },
  ]);
  expect(JSON.stringify(body)).not.toContain(key.key);
});

test('events are listed by organization, type and time, in both orders, and read', async () => {
  const id = await createOrganization();
  for (const name of ['Second', 'Third']) await write(`/operator/v1/organizations/${id}`, { name });
  const list = (query: string) => ask(`${PATH}?organization=${id}${query}`);
  const [first, second, third] = await trailOf(id);
  expect((await list('')).body.data).toEqual([third, second, first]);
  const page = (await list('&limit=2')).body;
  expect(page).toMatchObject({ data: [third, second], has_more: true, next_cursor: second.id });
  expect((await list(`&limit=2&cursor=${second.id}`)).body).toMatchObject({
    data: [first],
    has_more: false,
    next_cursor: null,
  });
  expect((await list(`&order=asc&cursor=${second.id}`)).body).toMatchObject({
    data: [third],
    has_more: false,
    next_cursor: third.id,
  });
  expect((await list('&type=organization.created')).body.data).toEqual([first]);
  expect((await list(`&from=${first.created}&to=${third.created + 1}`)).body.data).toHaveLength(3);
  expect((await list(`&to=${first.created - 5}`)).body.data).toEqual([]);
  expect((await ask(`${PATH}/${second.id}`)).body).toEqual(second);
});

test('a list by time has events whose IDs and positions have different orders', async () => {
  const id = await createOrganization();
  // Nothing else happens in the hour before and after these events.
  const created = Math.floor(Date.now() / 1000) + 3600;
  const [first, second] = [0, 1].map((later) => newId(OPERATOR_EVENT_ID, created * 1000 + later));
  for (const event of [second, first] as string[])
    await service.sql.query(
      `INSERT INTO operator_events (id, type, organization_id, resource, via, holder, changes)
       VALUES ($1, 'organization.updated', $2, 'planted', 'command_line', 'tester', '{}')`,
      [uuidOf(event), uuidOf(id)],
    );
  const listed = async (query: string) =>
    (await ask(`${PATH}?organization=${id}&type=organization.updated${query}`)).body.data.map(
      (event: { id: string }) => event.id,
    );
  expect(await listed(`&from=${created}`)).toEqual([first, second]);
  expect(await listed(`&from=${created}&to=${created + 1}`)).toEqual([first, second]);
  expect(await listed(`&to=${created + 1}`)).toEqual([first, second]);
  expect(await listed(`&from=${created + 1}`)).toEqual([]);
  expect(await listed(`&to=${created}`)).toEqual([]);
});

test('a wrong request to the trail is refused by name, and no other key reads the trail', async () => {
  expectInvalid(await ask(`${PATH}?order=up`), ['order', 'invalid_value', ['desc', 'asc']]);
  expectInvalid(await ask(`${PATH}?cursor=evt_1`), ['cursor', 'invalid_format']);
  expectInvalid(await ask(`${PATH}?from=2026-11-28&to=2026-11-27`), ['from', 'too_large']);
  expectError(await ask(`${PATH}/oev_01kaf3v7q4e8yt5w6z9x2c1b0n`), {
    status: 404,
    code: 'not_found',
    errors: [['id', 'invalid_value']],
    nextStep: listResources(PATH),
  });
  const { test: secret } = await createTenant(service);
  for (const key of [secret, await createLedgerKey(service)])
    expect((await ask(PATH, key)).status).toBe(401);
});

test('a change that is not committed has no line, and a unit without an author writes none', async () => {
  const { application } = service;
  const manage = application.get(ManageOrganizations);
  const before = (await ask(`${PATH}?limit=1`)).body.data[0].id;
  const failing = application.get(Units).commit(
    { queue: 'test' },
    async (unit) => {
      await manage.create(unit, 'Never');
      throw new Error('No.');
    },
    { via: 'command_line', key: null, holder: 'tester' },
  );
  await expect(failing).rejects.toThrow('No.');
  const anonymous = application
    .get(Units)
    .commit({ queue: 'test' }, (unit) => manage.create(unit, 'Nobody'));
  await expect(anonymous).rejects.toThrow('organization.created has no author.');
  expect((await ask(`${PATH}?limit=1`)).body.data[0].id).toBe(before);
  const { rows } = await service.sql.query(
    `SELECT FROM organizations WHERE name IN ('Never', 'Nobody')`,
  );
  expect(rows).toEqual([]);
});
