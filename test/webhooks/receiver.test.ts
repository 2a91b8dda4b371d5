import { expect, test } from '@jest/globals';
import { OutgoingAttempts } from '../../src/modules/webhooks/application/outgoing-attempts.js';
import type { Message } from '../../src/modules/webhooks/application/receivers.js';
import {
  canonicalReceiver,
  type DueReceiver,
  dueReceiver,
  storedReceiver,
} from '../../src/modules/webhooks/domain/receiver.js';
import { NO_ORGANIZATION } from '../../src/shared/id.js';

test.each([
  ['https://Shop.Example/a', 'shop.example'],
  ['https://shop.example:8443?a', 'shop.example:8443'],
  ['https://ada@shop.example#a', 'shop.example'],
  ['https://[::1]:80', '[::1]:80'],
])('stores %s as %s', (url, stored) => {
  expect(storedReceiver(url)).toBe(stored);
});

test('takes the ledger for the owner of its receiver, whoever owns the event', () => {
  const stored = storedReceiver('https://Ledger.Example/hook', true);
  expect(dueReceiver('org_1', stored)).toEqual({
    organization: 'org_1',
    owner: NO_ORGANIZATION,
    receiver: 'ledger.example:443',
    stored,
  });
  expect(dueReceiver('org_1', 'ledger.example')).toMatchObject({
    owner: 'org_1',
    receiver: 'ledger.example:443',
  });
});

test.each([
  ...[
    '127.1',
    '0x7f.1',
    '2130706433',
    '0177.0.0.1',
    '127.0.0.1:443',
    '127.0.0.1.',
    '127.0.0.1.:443',
  ],
  ...['%31%32%37.0.0.1', '１２７.0.0.1'],
])('takes %s for another spelling of 127.0.0.1:443', (stored) => {
  expect(canonicalReceiver(stored)).toBe('127.0.0.1:443');
});

test.each([
  ['shop.example.', 'shop.example:443'],
  ['bücher.example:8443', 'xn--bcher-kva.example:8443'],
  ['[0:0::1]:80', '[::1]:80'],
  ['not a host', 'not a host'],
])('writes %s as %s', (stored, canonical) => {
  expect(canonicalReceiver(stored)).toBe(canonical);
});

const receivers = {
  send: async ({ url }: Message) => ({
    statusCode: url === 'up' ? 500 : null,
    error: null,
    retryAfter: null,
    durationMs: 1,
  }),
};
const attempt = (attempts: OutgoingAttempts, to: DueReceiver, url: 'up' | 'down') =>
  attempts.deliver(to, async (send) => void (await send({ url } as Message)));

test('gives a new receiver a few attempts at once, one that answers many, and one that fails a single one', async () => {
  const attempts = new OutgoingAttempts(receivers);
  const to = dueReceiver('org_1', 'shop.example');
  const seen = () => [attempts.atOnce(to), attempts.isFailing(to)];
  expect(seen()).toEqual([4, false]);
  await attempt(attempts, to, 'up');
  expect(seen()).toEqual([16, false]);
  await attempt(attempts, to, 'down');
  expect(seen()).toEqual([1, true]);
  await attempt(attempts, to, 'up');
  expect(seen()).toEqual([16, false]);
});

test('remembers ten thousand receivers', async () => {
  const attempts = new OutgoingAttempts(receivers);
  const host = (at: number) => dueReceiver('org_1', `host${at}`);
  for (let at = 0; at <= 10_000; at++) await attempt(attempts, host(at), 'down');
  expect([0, 1, 10_000].map((at) => attempts.isFailing(host(at)))).toEqual([false, true, true]);
});
