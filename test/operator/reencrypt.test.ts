/**
 * The key of stored secrets is changed while the service runs. Every secret can be read at every
 * moment, and in the end all are under the new key.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Encryption } from '../../src/persistence/encryption/encryption.js';
import { isReplay, post } from '../support/client.js';
import { command } from '../support/command.js';
import { waitingForLocks } from '../support/holder.js';
import { withClient } from '../support/postgres.js';
import { until } from '../support/processes.js';
import { type Received, type Receiver, startReceiver } from '../support/receiver.js';
import { createLedgerKey, createTenant, type Tenant } from '../support/tenants.js';
import { isSignedBy, startWebhooks } from '../support/webhooks.js';

const [FIRST, SECOND, THIRD] = ['1', '2', '3'].map((digit) => digit.repeat(32)) as [
  string,
  string,
  string,
];
const ENDPOINTS = '/v1/webhook_endpoints';

type World = Awaited<ReturnType<typeof startWebhooks>>;

/**
 * This service has no key, as an installation may begin. The others are more processes on its
 * database.
 */
let keyless: World;
const worlds: World[] = [];
let tenant: Tenant;
let receiver: Receiver;

beforeAll(async () => {
  keyless = await startWebhooks();
  tenant = await createTenant(keyless.service);
  receiver = await startReceiver();
});

afterAll(async () => {
  for (const { service } of [...worlds, keyless]) await service.close();
  await receiver.close();
});

async function startWith(encryptionKey: string, ...decryptionKeys: string[]): Promise<World> {
  const config = { encryptionKey, decryptionKeys };
  const world = await startWebhooks({ databaseUrl: keyless.service.databaseUrl, config });
  worlds.push(world);
  return world;
}

const sent = (idempotencyKey: string, body: object = {}) => ({
  key: tenant.test,
  idempotencyKey,
  body,
});

async function tillgate(words: string[], ENCRYPTION_KEY: string, ...others: string[]) {
  const environment = {
    DATABASE_URL: keyless.service.databaseUrl,
    ENCRYPTION_KEY,
    DECRYPTION_KEYS: others.join(', '),
  };
  const { status, stdout } = await command(words, environment);
  return { status, ...JSON.parse(stdout) };
}

async function examined(...keys: [string, ...string[]]) {
  const { checks } = await tillgate(['doctor'], ...keys);
  return checks.find(({ name }: { name: string }) => name === 'secrets');
}

/** Returns the secrets that sign the next webhook of the endpoint. */
async function signers(
  { service }: World,
  id: string,
  secrets: readonly string[],
): Promise<readonly string[]> {
  expect(
    (await post(`${service.url}${ENDPOINTS}/${id}/test`, { key: tenant.test })).body.status_code,
  ).toBe(204);
  return secrets.filter((secret) => isSignedBy(secret, receiver.received.at(-1) as Received));
}

test('all secrets are encrypted with the new key, and none is lost', async () => {
  const body = { url: receiver.url };
  const { id, secret } = (await post(`${keyless.service.url}${ENDPOINTS}`, sent('one', body))).body;
  const first = await startWith(FIRST);
  const replayed = await post(`${first.service.url}${ENDPOINTS}`, sent('one', body));
  expect([isReplay(replayed), replayed.body.secret]).toEqual([true, secret]);
  const rotated = await post(`${first.service.url}${ENDPOINTS}/${id}/rotate_secret`, sent('two'));
  const ledger = { key: await createLedgerKey(first.service), body };
  expect((await post(`${first.service.url}/ledger${ENDPOINTS}`, ledger)).status).toBe(201);

  const second = await startWith(SECOND, FIRST);
  const secrets = [secret, rotated.body.secret];
  expect(await signers(second, id, secrets)).toEqual(secrets);
  const found = '4 of 4 stored secrets are under an older key.';
  expect(await examined(SECOND, FIRST)).toMatchObject({ status: 'warn', found });
  expect(await tillgate(['reencrypt'], SECOND, FIRST)).toEqual({
    status: 0,
    reencrypted: 4,
    unreadable: 0,
    stored_responses: { reencrypted: 3, unreadable: 0 },
  });
  expect(await tillgate(['reencrypt'], SECOND, FIRST)).toEqual({
    status: 0,
    reencrypted: 0,
    unreadable: 0,
    stored_responses: { reencrypted: 0, unreadable: 0 },
  });

  const last = await startWith(SECOND);
  expect(await examined(SECOND)).toMatchObject({
    status: 'ok',
    found: 'The current key reads all 4 stored secrets.',
  });
  expect(await signers(last, id, secrets)).toEqual(secrets);
  const again = await post(`${last.service.url}${ENDPOINTS}/${id}/rotate_secret`, sent('two'));
  expect([isReplay(again), again.text]).toEqual([true, rotated.text]);
});

test('a secret that no key decrypts stays as it is', async () => {
  const advice = expect.stringMatching(/^Set the key that they were stored under/);
  const found = 'No key reads 4 stored secrets.';
  expect(await examined(THIRD, FIRST)).toEqual({ name: 'secrets', status: 'fail', found, advice });
  expect(await tillgate(['reencrypt'], THIRD, FIRST)).toEqual({
    status: 1,
    reencrypted: 0,
    unreadable: 4,
    stored_responses: { reencrypted: 0, unreadable: 3 },
  });
  expect(await examined(SECOND)).toMatchObject({ status: 'ok' });
});

test('a secret that is rotated during reencrypt is not overwritten', async () => {
  const { application, databaseUrl, sql } = (worlds.at(-1) as World).service;
  const rotated = application.get(Encryption).encrypt('rotated');
  await sql.query('BEGIN');
  await sql.query('SELECT FROM webhook_endpoints FOR UPDATE');
  const running = tillgate(['reencrypt'], THIRD, SECOND);
  await until(() =>
    withClient(databaseUrl, async (client) => (await waitingForLocks(client)) === 1),
  );
  await sql.query('UPDATE webhook_endpoints SET previous_secret = secret, secret = $1', [rotated]);
  await sql.query('COMMIT');
  expect(await running).toMatchObject({ status: 0, reencrypted: 4, unreadable: 0 });
  const { rows } = await sql.query(
    'SELECT secret, previous_secret AS previous FROM webhook_endpoints',
  );
  const third = (await startWith(THIRD)).service.application.get(Encryption);
  expect(third.decrypt(rows[0].secret)).toBe('rotated');
  expect([third.stateOf(rows[0].secret), third.stateOf(rows[0].previous)]).toEqual([
    'current',
    'current',
  ]);
});
