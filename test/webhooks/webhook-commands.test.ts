import { beforeAll, expect, test } from '@jest/globals';
import { useShop } from '../kit/setup.js';
import { command } from '../support/command.js';
import { run, until } from '../support/processes.js';
import { useWebhooks } from '../support/setup.js';
import { deliver } from '../support/webhooks.js';

const world = useWebhooks();
const shop = useShop(world.service, {}, beforeAll);

async function webhook(...words: string[]) {
  const { status, stdout, stderr } = await command(['webhook', ...words], {
    DATABASE_URL: world.service.databaseUrl,
  });
  return status === 0 ? JSON.parse(stdout) : stderr;
}

const rotate = () => webhook('secret', 'rotate', '--org', shop.organization);

test('prints the new secret after `webhook secret rotate`', async () => {
  expect(await rotate()).toEqual({
    id: shop.organization,
    webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    previous_expires_at: expect.any(Number),
  });
  expect(await webhook('secret', 'rotate', '--org', 'org_01jd0000000000000000000000')).toBe(
    'No such organization.\n',
  );
});

test('verifies with `webhook listen` what it receives, until it is interrupted', async () => {
  const { webhook_secret: WEBHOOK_SECRET } = await rotate();
  const listener = run(['dist/bundle/cli.js', 'webhook', 'listen', '--port', '0'], {
    WEBHOOK_SECRET,
  });
  await until(() => listener.stderr().includes('\n'));
  const [url = ''] = /http:\S+/.exec(listener.stderr()) ?? [];
  const { session, event } = await shop.notified(url);
  await deliver(world.service);
  await until(() => listener.stdout().includes('verified'));
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,x' };
  expect((await fetch(url, { method: 'POST', body: '{}', headers })).status).toBe(400);
  listener.child.kill('SIGINT');
  const verified = `verified ${event} checkout.session.created ${session} sequence 1`;
  expect(await listener.ended).toEqual({
    status: 0,
    stdout: `${verified}\nrefused evt_1: The webhook is not of the last five minutes.\n{"verified":1,"refused":1}\n`,
    stderr: `Listening on ${url} until Ctrl-C.\n`,
  });
});
