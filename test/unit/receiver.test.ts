import { expect, test } from '@jest/globals';
import {
  canonicalReceiver,
  dueReceiver,
  ReceiverHealth,
  storedReceiver,
} from '../../src/modules/webhooks/domain/receiver.js';
import { NO_ORGANIZATION } from '../../src/shared/id.js';

const NOW = Date.UTC(2026, 0, 1);
const SECONDS = 1_000;
const HOURS = 3_600 * SECONDS;

test.each([
  ['https://Shop.Example/a', 'shop.example'],
  ['https://shop.example:8443?a', 'shop.example:8443'],
  ['https://ada@shop.example#a', 'shop.example'],
  ['https://[::1]:80', '[::1]:80'],
])('%s is sent to %s', (url, stored) => {
  expect(storedReceiver(url)).toBe(stored);
});

test('a receiver of the ledger is the ledger’s, whoever the event belongs to', () => {
  const stored = storedReceiver('https://Ledger.Example/hook', true);
  expect(dueReceiver('org_1', stored)).toEqual({
    organization: 'org_1',
    owner: NO_ORGANIZATION,
    receiver: 'ledger.example:443',
    stored,
  });
  expect(dueReceiver('org_1', 'ledger.example')).toMatchObject({ owner: 'org_1', receiver: 'ledger.example:443' });
});

test.each([
  ...['127.1', '0x7f.1', '2130706433', '0177.0.0.1', '127.0.0.1:443', '127.0.0.1.', '127.0.0.1.:443'],
  ...['%31%32%37.0.0.1', '１２７.0.0.1'],
])('%s is another spelling of 127.0.0.1:443', (stored) => {
  expect(canonicalReceiver(stored)).toBe('127.0.0.1:443');
});

test.each([
  ['shop.example.', 'shop.example:443'],
  ['bücher.example:8443', 'xn--bcher-kva.example:8443'],
  ['[0:0::1]:80', '[::1]:80'],
  ['not a host', 'not a host'],
])('%s is %s', (stored, canonical) => {
  expect(canonicalReceiver(stored)).toBe(canonical);
});

test('a stranger gets a few attempts at once, one that answers gets many', () => {
  const health = new ReceiverHealth();
  expect([health.atOnce('a', NOW), health.isFailing('a')]).toEqual([4, false]);
  health.record('a', true, NOW, NOW);
  expect([health.atOnce('a', NOW), health.isFailing('a')]).toEqual([16, false]);
});

test('one that does not answer gets one attempt, then rests that grow to five minutes, and any answer ends it', () => {
  const health = new ReceiverHealth();
  health.record('a', false, NOW, NOW);
  expect([health.atOnce('a', NOW), health.isFailing('a')]).toEqual([1, true]);
  let now = NOW;
  for (const rest of [5, 10, 20, 40, 80, 160, 300, 300]) {
    health.record('a', false, now, now);
    expect(health.atOnce('a', now + rest * SECONDS - 1)).toBe(0);
    expect(health.atOnce('a', now + rest * SECONDS)).toBe(1);
    now += rest * SECONDS;
  }
  health.record('a', true, now, now);
  expect([health.atOnce('a', now), health.isFailing('a')]).toEqual([16, false]);
});

test('attempts that were under way together and fail count as one', () => {
  const health = new ReceiverHealth();
  for (const at of [1, 2, 3, 4]) health.record('a', false, NOW + at, NOW + 10 * SECONDS + at);
  expect(health.atOnce('a', NOW + 11 * SECONDS)).toBe(1);
});

test('a clock that is set back makes no rest longer', () => {
  const health = new ReceiverHealth();
  for (let failure = 0; failure < 10; failure++) health.record('a', false, NOW, NOW);
  expect(health.atOnce('a', NOW)).toBe(0);
  expect(health.atOnce('a', NOW - HOURS)).toBe(1);
});

test('remembers ten thousand receivers, and none that nothing was sent to for an hour', () => {
  const health = new ReceiverHealth();
  for (let at = 0; at <= 10_000; at++) health.record(`host${at}`, false, NOW, NOW);
  expect([health.isFailing('host0'), health.isFailing('host1'), health.isFailing('host10000')]).toEqual([
    false,
    true,
    true,
  ]);
  health.record('other', true, NOW, NOW + HOURS + 1);
  expect([health.isFailing('host1'), health.isFailing('host10000')]).toEqual([false, false]);
});
