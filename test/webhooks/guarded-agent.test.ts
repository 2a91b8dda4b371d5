/**
 * A ledger's receivers may be in the networks that are listed. An organization's receivers may only
 * have public addresses.
 */
import { expect, test } from '@jest/globals';
import {
  GuardedAgent,
  NotAllowed,
} from '../../src/modules/webhooks/adapters/delivery/guarded-agent.js';

const resolve = async () => [];
/** An operator who wants to reach all of these networks might list them. */
const NETWORKS = [
  '10.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '100.64.0.0/10',
  'fd00::/8',
  'fe80::/10',
  '::/96',
];
const TRANSLATED = ['64:ff9b::/96', '2002::/16', '168.63.129.16/32'];
const ledgers = new GuardedAgent({
  allowPrivate: false,
  networks: [...NETWORKS, ...TRANSLATED],
  resolve,
});
const merchants = new GuardedAgent({ allowPrivate: false, resolve });

const checked = (agent: GuardedAgent, ...addresses: string[]) => {
  return () => agent.check(addresses.map((address) => ({ address })));
};

test.each(['127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1'])(
  'lets the ledger reach the listed address %s, and no merchant',
  (address) => {
    expect(checked(ledgers, address)).not.toThrow();
    expect(checked(merchants, address)).toThrow(NotAllowed);
  },
);

test.each([
  ...[
    '169.254.169.254',
    '::ffff:169.254.169.254',
    'fd00:ec2::254',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ],
  ...['168.63.129.16', '192.168.0.1', '0.0.0.0'],
])('lets nobody reach %s, though it is listed, alone or beside a listed address', (address) => {
  for (const addresses of [[address], ['127.0.0.1', address], [address, '127.0.0.1']]) {
    expect(checked(ledgers, ...addresses)).toThrow(NotAllowed);
    expect(checked(merchants, ...addresses)).toThrow(NotAllowed);
  }
});

test('refuses a name without an address', () => {
  expect(checked(ledgers)).toThrow(NotAllowed);
});
