import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { get, post, SMALLEST } from '../support/client.js';
import { command } from '../support/command.js';
import { answer, startReceiver, until } from '../support/receiver.js';
import { createLedgerKey, createTenant, type Tenant } from '../support/service.js';
import { attempt, deliver, sessionFor, startWebhooks } from '../support/webhooks.js';

let world: Awaited<ReturnType<typeof startWebhooks>>;
let tenant: Tenant;

beforeAll(async () => {
  world = await startWebhooks();
  tenant = await createTenant(world.service);
});

afterAll(() => world.service.close());

function start(...words: string[]): { child: ChildProcess; out: () => string } {
  const env = { ...process.env, DATABASE_URL: world.service.databaseUrl, WEBHOOK_ALLOW_PRIVATE: 'true' };
  const child = spawn(process.execPath, ['dist/src/cli/cli.js', 'webhook', ...words], { env });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (out += chunk));
  return { child, out: () => out };
}

async function run(...words: string[]) {
  const settings = { DATABASE_URL: world.service.databaseUrl, WEBHOOK_ALLOW_PRIVATE: 'true' };
  const { status, stdout, stderr } = await command(['webhook', ...words], settings);
  return status === 0 ? JSON.parse(stdout) : stderr;
}

const rotate = () => run('secret', 'rotate', '--org', tenant.organization);

test('secret rotate prints the new secret', async () => {
  expect(await rotate()).toEqual({
    id: tenant.organization,
    webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    previous_expires_at: expect.any(Number),
  });
  expect(await run('secret', 'rotate', '--org', 'org_01jd0000000000000000000000')).toBe('No such organization.\n');
});

test('resend makes an event due again', async () => {
  const receiver = await startReceiver(answer(410));
  const { event } = await sessionFor(world.service, tenant, receiver.url);
  await deliver(world.service);
  receiver.behave(answer(200));
  expect(await run('resend', event)).toEqual({ id: event, next_attempt_at: expect.any(Number) });
  // The command goes by the real clock, which has gone on.
  world.clock.advance(60_000);
  await deliver(world.service);
  expect(receiver.received.map(({ id }) => id)).toEqual([event, event]);
  await receiver.close();
  expect(await run('resend', 'evt_01jd0000000000000000000000')).toBe('No such resource.\n');
});

test('endpoint does what the API does', async () => {
  const receiver = await startReceiver();
  const named = ['--mode', 'test', '--org', tenant.organization];
  const told = ['--event', 'refund.created', '--event', 'refund.failed', '--event', 'refund.created'];
  const created = await run('endpoint', 'create', ...named, '--url', receiver.url, ...told, '--description', 'Books');
  const { secret, ...endpoint } = created;
  const { id } = endpoint;
  const events = ['refund.created', 'refund.failed'];
  expect(endpoint).toMatchObject({ url: receiver.url, events, enabled: true, description: 'Books' });
  const path = `${world.service.url}/v1/webhook_endpoints/${id}`;
  expect((await get(path, { key: tenant.test })).body).toEqual(endpoint);
  const [disabled, tested, rotated] = await Promise.all([
    run('endpoint', 'disable', id, ...named),
    run('endpoint', 'test', id, ...named),
    run('endpoint', 'rotate', id, ...named, '--overlap', '0s'),
  ]);
  expect(disabled).toEqual({ ...endpoint, enabled: false });
  expect(tested).toEqual(attempt(1, 204, null, true, id));
  expect(receiver.received.map(({ text }) => JSON.parse(text).type)).toEqual(['webhook.test']);
  expect([/^whsec_/.test(rotated.secret), rotated.secret === secret]).toEqual([true, false]);
  const [enabled, list] = await Promise.all([
    run('endpoint', 'enable', id, ...named),
    run('endpoint', 'list', ...named),
  ]);
  expect(enabled).toEqual(endpoint);
  expect(list.data).toEqual([expect.objectContaining({ id })]);
  expect(await run('endpoint', 'delete', id, ...named)).toEqual({ id, object: 'webhook_endpoint', deleted: true });
  expect((await get(path, { key: tenant.test })).body.error.code).toBe('not_found');
  await receiver.close();
});

test('an endpoint without an organization belongs to the ledger', async () => {
  const key = await createLedgerKey(world.service);
  const { id } = await run('endpoint', 'create', '--mode', 'test', '--url', 'https://ledger.example/');
  const path = `${world.service.url}/ledger/v1/webhook_endpoints`;
  expect((await get(path, { key })).body.data).toEqual([expect.objectContaining({ id, organization: null })]);
  await run('endpoint', 'delete', id, '--mode', 'test');
  expect((await get(path, { key })).body.data).toEqual([]);
});

test('endpoint refuses what the API refuses, in one line', async () => {
  const create = (...words: string[]) => run('endpoint', 'create', '--mode', 'test', ...words);
  const named = ['--org', tenant.organization, '--url', 'https://shop.example/'];
  const said = await Promise.all([
    create('--org', 'org_01jd0000000000000000000000', '--url', 'https://shop.example/'),
    create('--org', tenant.organization, '--url', 'ftp://shop.example/'),
    run('endpoint', 'create', '--mode', 'live', '--org', tenant.organization, '--url', 'http://shop.example/'),
    create(...named, '--event', 'refund.made'),
    create(...named, '--description', 'x'.repeat(1001)),
    run('endpoint', 'delete', 'we_01jd0000000000000000000000', '--mode', 'test', '--org', tenant.organization),
  ]);
  expect(said).toEqual([
    'No such organization.\n',
    expect.stringMatching(/^Option '--url <url>' .* https URL.*\n$/),
    'url must be an https URL in live mode.\n',
    expect.stringMatching(/^Option '--event <type>' .* one of checkout\.session\.created.*\n$/),
    expect.stringMatching(/^Option '--description <text>' .* at most 1000 characters\.\n$/),
    'No such resource.\n',
  ]);
});

test('resend sends to one endpoint', async () => {
  const receiver = await startReceiver();
  const key = tenant.test;
  const session = await post(`${world.service.url}/v1/checkout_sessions`, { key, body: SMALLEST });
  const body = { url: receiver.url, events: ['refund.created'] };
  const { id } = (await post(`${world.service.url}/v1/webhook_endpoints`, { key, body })).body;
  const { data } = (await get(`${world.service.url}/v1/events?object=${session.body.id}`, { key })).body;
  expect(await run('resend', data[0].id, '--endpoint', id)).toMatchObject({ id: data[0].id });
  world.clock.advance(60_000);
  await deliver(world.service);
  expect(receiver.received.map((one) => one.id)).toEqual([data[0].id]);
  await receiver.close();
});

test('listen verifies what it receives until it is interrupted', async () => {
  const { webhook_secret: secret } = await rotate();
  const { child, out } = start('listen', '--port', '0', '--secret', secret);
  await until(() => out().includes('Listening'), 'it listens');
  const [url = ''] = /http:\S+/.exec(out()) ?? [];
  const { session, event } = await sessionFor(world.service, tenant, url);
  await deliver(world.service);
  const line = `verified ${event} checkout.session.created ${session} sequence 1\n`;
  await until(() => out().includes('verified'), 'it is told');
  child.kill('SIGINT');
  await once(child, 'close');
  expect(out()).toBe(`Listening on ${url} until Ctrl-C.\n${line}{"verified":1,"refused":0}\n`);
});
