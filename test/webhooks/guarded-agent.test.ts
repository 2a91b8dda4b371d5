/** Addresses of receivers: the ledger's are in the networks that are listed, an organization's are only public ones. */
import { expect, test } from '@jest/globals';
import {
  GuardedAgent,
  NotAllowed,
} from '../../src/modules/webhooks/adapters/delivery/guarded-agent.js';

const resolve = async () => [];
/** Listed as an operator might who has all of these in mind. */
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
  '%s is a listed address to the ledger, and none to a merchant',
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
])(
  '%s is reached by nobody, though it is listed, and neither is a name with a listed address beside it',
  (address) => {
    for (const addresses of [[address], ['127.0.0.1', address], [address, '127.0.0.1']]) {
      expect(checked(ledgers, ...addresses)).toThrow(NotAllowed);
      expect(checked(merchants, ...addresses)).toThrow(NotAllowed);
    }
  },
);

test('a name without an address is refused', () => {
  expect(checked(ledgers)).toThrow(NotAllowed);
});
