import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { nameResolver } from '../../src/modules/webhooks/adapters/delivery/names.js';

const NEVER = new AbortController().signal;

let server: Socket;

afterEach(() => void server.close());

/** Starts a name server, and counts how many questions it was asked. */
async function startNameServer(answer?: (question: Buffer) => Buffer) {
  const asked = { questions: 0 };
  server = createSocket('udp4', (question, { port, address }) => {
    asked.questions += 1;
    if (answer) server.send(answer(question), port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  const resolve = nameResolver([`127.0.0.1:${(server.address() as AddressInfo).port}`]);
  return { asked, resolve };
}

/** Answers NXDOMAIN, which means that nobody has the name. */
function unknown(question: Buffer): Buffer {
  const answer = Buffer.from(question);
  answer.writeUInt16BE(0x8183, 2);
  return answer;
}

test('gives up a name server that never answers, whatever the host', async () => {
  const { asked, resolve } = await startNameServer();
  await expect(resolve('shop.example.', NEVER)).rejects.toMatchObject({ code: 'ETIMEOUT' });
  expect(asked.questions).toBeGreaterThan(0);
});

test('does not wait for a name server when the attempt ends', async () => {
  const { resolve } = await startNameServer();
  const ending = new AbortController();
  const resolved = resolve('shop.example', ending.signal);
  ending.abort(new Error('The attempt has ended.'));
  await expect(resolved).rejects.toThrow('The attempt has ended.');
});

test('asks again for a name that nobody had, so that it finds a new one', async () => {
  const { asked, resolve } = await startNameServer(unknown);
  await expect(resolve('shop.example', NEVER)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  const { questions } = asked;
  await expect(resolve('shop.example', NEVER)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  expect(asked.questions).toBeGreaterThan(questions);
});

test.each(['localhost', 'shop.localhost', 'localhost.'])(
  'takes %s for this machine without a question',
  async (name) => {
    const { asked, resolve } = await startNameServer();
    expect((await resolve(name, NEVER)).map(({ address }) => address)).toEqual([
      '127.0.0.1',
      '::1',
    ]);
    expect(asked.questions).toBe(0);
  },
);
