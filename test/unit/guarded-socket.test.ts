/** Connections to receivers: the ledger's reach the networks that are listed, an organization's only public addresses. */
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { NotAllowed, openSocket, type Rules } from '../../src/modules/webhooks/adapters/delivery/guarded-socket.js';
import { listen } from '../support/sockets.js';

let server: Server;
let port: number;

beforeAll(async () => {
  server = createServer();
  port = await listen(server);
});

afterAll(() => void server.close());

const resolving = (...addresses: string[]) => ({
  resolve: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
});
/** Listed as an operator might who has all of these in mind. */
const NETWORKS = ['10.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '100.64.0.0/10', 'fd00::/8', 'fe80::/10', '::/96'];
const TRANSLATED = ['64:ff9b::/96', '2002::/16', '168.63.129.16/32'];
const LEDGERS = { allowPrivate: false, networks: [...NETWORKS, ...TRANSLATED], ...resolving() };
const MERCHANTS = { allowPrivate: false, ...resolving() };

const open = (host: string, rules: Rules) =>
  openSocket(new URL(`http://${host}:${port}/`), rules, AbortSignal.timeout(60_000));

test.each(['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'])(
  '%s is a listed address to the ledger, and none to a merchant',
  async (host) => {
    const socket = await open(host, LEDGERS);
    expect(socket.remoteAddress).toMatch(/^(::ffff:)?127\.0\.0\.1$/);
    socket.destroy();
    await expect(open(host, MERCHANTS)).rejects.toThrow(NotAllowed);
  },
);

test.each([
  ['link-local, as a number', '2852039166'],
  ['link-local, mapped', '[::ffff:169.254.169.254]'],
  ['NAT64', '[64:ff9b::7f00:1]'],
  ['6to4', '[2002:7f00:1::]'],
  ['Azure', '168.63.129.16'],
  ['no host', '0.0.0.0'],
])('an address of %s is reached by nobody, though it is listed', async (_, host) => {
  await expect(open(host, LEDGERS)).rejects.toThrow(NotAllowed);
  await expect(open(host, MERCHANTS)).rejects.toThrow(NotAllowed);
});

test.each([['169.254.169.254'], ['fd00:ec2::254'], ['192.168.0.1'], ['64:ff9b::a00:1']])(
  'a name is refused for %s beside a listed address',
  async (address) => {
    for (const addresses of [
      ['127.0.0.1', address],
      [address, '127.0.0.1'],
    ]) {
      await expect(open('ledger.test', { ...LEDGERS, ...resolving(...addresses) })).rejects.toThrow(NotAllowed);
    }
  },
);

test('a name that is in a listed network when it is checked and not when it is connected to', async () => {
  let looks = 0;
  const resolve = async () => [
    {
      family: 4,
      get address() {
        looks += 1;
        return looks === 1 ? '10.0.0.1' : '127.0.0.1';
      },
    },
  ];
  const openChanging = (networks: string[]) => {
    looks = 0;
    return open('ledger.test', { allowPrivate: false, networks, resolve });
  };
  await expect(openChanging(['10.0.0.0/8'])).rejects.toThrow(NotAllowed);
  expect(looks).toBeGreaterThan(1);
  const socket = await openChanging(['10.0.0.0/8', '127.0.0.0/8']);
  expect(socket.remoteAddress).toBe('127.0.0.1');
  socket.destroy();
});
