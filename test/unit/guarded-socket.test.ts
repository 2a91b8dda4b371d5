import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { NotAllowed, openSocket } from '../../src/modules/events/adapters/delivery/guarded-socket.js';

test('a name that is in a listed network when it is checked and not when it is connected to', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
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
  const open = (networks: string[]) => {
    looks = 0;
    const rules = { allowPrivate: false, networks, resolve };
    return openSocket(new URL(`http://ledger.test:${port}/`), rules, AbortSignal.timeout(60_000));
  };
  await expect(open(['10.0.0.0/8'])).rejects.toThrow(NotAllowed);
  expect(looks).toBeGreaterThan(1);
  const socket = await open(['10.0.0.0/8', '127.0.0.0/8']);
  expect(socket.remoteAddress).toBe('127.0.0.1');
  socket.destroy();
  server.close();
});
