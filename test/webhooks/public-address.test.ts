import { isIP } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { isReachable } from '../../src/modules/webhooks/adapters/delivery/public-address.js';

/**
 * Each row has an address, and says whether it is reachable as a rule and with
 * WEBHOOK_ALLOW_PRIVATE.
 */
test.each([
  ['93.184.216.34', true, true],
  ['1.1.1.1', true, true],
  ['2606:4700::1111', true, true],
  ['::ffff:93.184.216.34', true, true],
  ['127.0.0.1', false, true],
  ['127.255.255.254', false, true],
  ['10.0.0.1', false, true],
  ['172.16.0.1', false, true],
  ['172.31.255.255', false, true],
  ['192.168.1.1', false, true],
  ['::1', false, true],
  ['fd12:3456::1', false, true],
  ['::ffff:10.0.0.1', false, true],
  ['::ffff:7f00:1', false, true],
  // The addresses from here on are never reachable. Clouds keep credentials at some of them, and
  // others are IPv4 addresses in disguise.
  ['169.254.169.254', false, false],
  ['fd00:ec2::254', false, false],
  ['::127.0.0.1', false, false],
  ['::93.184.216.34', false, false],
  ['168.63.129.16', false, false],
  ['::ffff:168.63.129.16', false, false],
  ['::ffff:169.254.169.254', false, false],
  ['fe80::1', false, false],
  ['fe80::1%eth0', false, false],
  ['0.0.0.0', false, false],
  ['0.1.2.3', false, false],
  ['::', false, false],
  ['100.64.0.1', false, false],
  ['192.0.0.8', false, false],
  ['192.0.2.1', false, false],
  ['198.18.0.1', false, false],
  ['198.51.100.1', false, false],
  ['203.0.113.1', false, false],
  ['224.0.0.1', false, false],
  ['240.0.0.1', false, false],
  ['255.255.255.255', false, false],
  ['::7f00:1', false, false],
  ['64:ff9b::10.0.0.1', false, false],
  ['64:ff9b:1::a00:1', false, false],
  ['2002:a00:1::', false, false],
  ['2002:7f00:1::', false, false],
  ['2001:0:53aa:64c:0:fbff:f5ff:fffe', false, false],
  ['2001:db8::1', false, false],
  ['fec0::1', false, false],
  ['ff02::1', false, false],
  ['100::1', false, false],
  ['localhost', false, false],
  ['', false, false],
] as const)('tells whether the address %s is reachable', (address, asARule, allowingPrivate) => {
  const reachable = [false, true].map((allowPrivate) => isReachable(address, { allowPrivate }));
  expect(reachable).toEqual([asARule, allowingPrivate]);
  const isLoopback = /^(127\.|::1$|::ffff:7f)/.test(address);
  expect(isReachable(address, { allowPrivate: false, allowLoopback: true })).toBe(
    asARule || isLoopback,
  );
});

describe('a service with listed networks', () => {
  const within = (networks: readonly string[]) => (address: string) =>
    isReachable(address, { allowPrivate: false, networks });

  test.each([
    [
      '10.0.0.0/8',
      ['10.0.0.0', '10.255.255.255', '::ffff:10.1.2.3', '::ffff:a01:203'],
      ['11.0.0.0', '9.255.255.255'],
    ],
    [
      '172.16.0.0/12',
      ['172.16.0.1', '172.31.255.255', '::ffff:172.16.0.1'],
      ['172.15.255.255', '172.32.0.0'],
    ],
    ['192.168.7.0/24', ['192.168.7.255'], ['192.168.6.255', '192.168.8.0', '10.0.0.1']],
    ['192.168.7.9/32', ['192.168.7.9'], ['192.168.7.8', '192.168.7.10']],
    ['127.0.0.0/8', ['127.0.0.1', '127.255.255.255', '::ffff:7f00:1'], ['126.255.255.255', '::1']],
    [
      '100.64.0.0/10',
      ['100.64.0.1', '100.127.255.255'],
      ['100.63.255.255', '100.128.0.0', '100.100.100.200'],
    ],
    ['::1/128', ['::1'], ['::2', '127.0.0.1']],
    ['fd00::/8', ['fd12:3456::1', 'fdff::1'], ['fc00::1', '10.0.0.1']],
    ['fd12:3456::/32', ['fd12:3456:ffff::1'], ['fd12:3457::1']],
  ])('reaches %s, and no private address beside it', (network, inside, outside) => {
    expect(inside.filter((address) => !within([network])(address))).toEqual([]);
    expect(inside.filter(within([]))).toEqual([]);
    expect(outside.filter((address) => within([network])(address) !== within([])(address))).toEqual(
      [],
    );
  });

  test.each([
    [
      'link-local',
      [
        '169.254.0.1',
        '169.254.169.254',
        '169.254.170.2',
        'fe80::1',
        'fe80::a9fe:a9fe',
        'fe80::1%eth0',
      ],
    ],
    ['of a cloud', ['100.100.100.200', '168.63.129.16', '192.0.0.192', '::ffff:100.100.100.200']],
    [
      'of a cloud, IPv6',
      ['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe', 'fd00:42::42'],
    ],
    ['of another cloud, IPv6', ['fd00:a9fe:a9fe::1']],
    ['mapped link-local', ['::ffff:169.254.169.254', '::ffff:a9fe:a9fe']],
    ['IPv4-compatible', ['::10.0.0.1', '::a00:1', '::127.0.0.1', '::7f00:1']],
    ['translated', ['::ffff:0:10.0.0.1', '::ffff:0:a00:1']],
    ['NAT64', ['64:ff9b::10.0.0.1', '64:ff9b::a00:1', '64:ff9b:1::a00:1', '64:ff9b::a9fe:a9fe']],
    ['6to4', ['2002:a00:1::', '2002:7f00:1::1', '2002:a9fe:a9fe::']],
    ['Teredo', ['2001:0:a00:1::', '2001:0:53aa:64c:0:fbff:f5ff:fffe']],
    [
      'no host',
      [
        '0.0.0.0',
        '0.1.2.3',
        '::',
        '224.0.0.1',
        'ff02::1',
        '255.255.255.255',
        '240.0.0.1',
        'fec0::1',
      ],
    ],
    ['no address', ['', 'localhost', '10.0.0.1/8']],
  ])('never reaches an address that is %s, though every address is listed', (_, addresses) => {
    expect(addresses.filter(within(['0.0.0.0/0', '::/0', ...addresses.map(alone)]))).toEqual([]);
  });
});

/** Returns the network of this address only, or of all addresses if the text is no address. */
function alone(address: string): string {
  const text = address.replace(/%.*/, '');
  return isIP(text) ? `${text}/${isIP(text) === 4 ? 32 : 128}` : '::/0';
}
