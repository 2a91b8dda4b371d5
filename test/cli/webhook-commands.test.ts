import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { answer, startReceiver, until } from '../support/receiver.js';
import { createTenant, type Tenant } from '../support/service.js';
import { deliver, sessionFor, startWebhooks } from '../support/webhooks.js';

let world: Awaited<ReturnType<typeof startWebhooks>>;
let tenant: Tenant;

beforeAll(async () => {
  world = await startWebhooks();
  tenant = await createTenant(world.service);
});

afterAll(() => world.service.close());

function start(...words: string[]): { child: ChildProcess; out: () => string } {
  const env = { ...process.env, DATABASE_URL: world.service.databaseUrl };
  const child = spawn(process.execPath, ['dist/src/cli/cli.js', 'webhook', ...words], { env });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (out += chunk));
  return { child, out: () => out };
}

async function run(...words: string[]) {
  const { child, out } = start(...words);
  const [code] = await once(child, 'close');
  return code === 0 ? JSON.parse(out()) : out();
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
