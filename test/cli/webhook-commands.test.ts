import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeAll, expect, test } from '@jest/globals';
import { command } from '../support/command.js';
import { until } from '../support/processes.js';
import { useShop, useWebhooks } from '../support/setup.js';
import { deliver, sessionFor } from '../support/webhooks.js';

const world = useWebhooks();
const shop = useShop(world.service, {}, beforeAll);

beforeAll(async () => {
  // The receiver is another process, which a busy machine keeps waiting.
  Object.assign(world.network, { timeoutMs: 60_000 });
});

function start(
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
): { child: ChildProcess; out: () => string } {
  const env = { ...process.env, ...settings };
  const child = spawn(process.execPath, ['dist/src/cli/cli.js', 'webhook', ...words], { env });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (out += chunk));
  return { child, out: () => out };
}

async function run(...words: string[]) {
  const { status, stdout, stderr } = await command(['webhook', ...words], { DATABASE_URL: world.service.databaseUrl });
  return status === 0 ? JSON.parse(stdout) : stderr;
}

const rotate = () => run('secret', 'rotate', '--org', shop.organization);

test('secret rotate prints the new secret', async () => {
  expect(await rotate()).toEqual({
    id: shop.organization,
    webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    previous_expires_at: expect.any(Number),
  });
  expect(await run('secret', 'rotate', '--org', 'org_01jd0000000000000000000000')).toBe('No such organization.\n');
});

test('listen verifies what it receives until it is interrupted', async () => {
  const { webhook_secret: secret } = await rotate();
  const { child, out } = start(['listen', '--port', '0'], { WEBHOOK_SECRET: secret });
  await until(() => out().includes('Listening'), 'it listens');
  const [url = ''] = /http:\S+/.exec(out()) ?? [];
  const { session, event } = await sessionFor(world.service, shop.tenant, url);
  await deliver(world.service);
  const line = `verified ${event} checkout.session.created ${session} sequence 1\n`;
  await until(() => out().includes('verified'), 'it is told');
  child.kill('SIGINT');
  await once(child, 'close');
  expect(out()).toBe(`Listening on ${url} until Ctrl-C.\n${line}{"verified":1,"refused":0}\n`);
});
