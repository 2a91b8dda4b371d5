import { expect, test } from '@jest/globals';
import { clientOf, isWithin, networkOf } from '../../src/request/client-address.js';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3::4', '2001:db8:1:2::/64'],
  ['127.0.0.1', undefined],
  ['::ffff:127.0.0.1', undefined],
  ['::1', undefined],
  ['', 'unknown'],
])('the client at %j is counted as %s', (address, client) => {
  expect(clientOf(address)).toBe(client);
});

test.each([
  ['192.0.2.1', ['192.0.2.1', '::ffff:192.0.2.1'], ['192.0.2.2', '2001:db8::1', '', 'proxy']],
  ['192.0.2.0/24', ['192.0.2.0', '192.0.2.255', '::ffff:192.0.2.9'], ['192.0.3.0']],
  ['::ffff:192.0.2.1', ['192.0.2.1'], ['192.0.2.2', '::1']],
  ['::ffff:192.0.2.0/120', ['192.0.2.9'], ['192.0.3.0']],
  ['::ffff:0:0/90', [], ['192.0.2.1']],
  ['2001:db8::1', ['2001:db8::1'], ['2001:db8::2', '192.0.2.1']],
  ['2001:db8::/32', ['2001:db8:ffff::1'], ['2001:db9::1']],
])('the network %s contains its addresses, and no others', (network, inside, outside) => {
  const networks = [networkOf('203.0.113.7'), networkOf(network)];
  expect(inside.filter((address) => !isWithin(networks, address))).toEqual([]);
  expect(outside.filter((address) => isWithin(networks, address))).toEqual([]);
});
