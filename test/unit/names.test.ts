import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { nameResolver } from '../../src/modules/events/adapters/delivery/names.js';

const NEVER = new AbortController().signal;
/** More names than are remembered. */
const NAMES = 5_001;

let server: Socket;

afterEach(() => void server.close());

/** A name server, and how many questions it was asked. */
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

/** NXDOMAIN. */
function unknown(question: Buffer): Buffer {
  const answer = Buffer.from(question);
  answer.writeUInt16BE(0x8183, 2);
  return answer;
}

test('a name server that never answers is given up, and not asked for the name again', async () => {
  const { asked, resolve } = await startNameServer();
  await expect(resolve('shop.example', NEVER)).rejects.toMatchObject({ code: 'ETIMEOUT' });
  const { questions } = asked;
  expect(questions).toBeGreaterThan(0);
  await expect(resolve('shop.example.', NEVER)).rejects.toMatchObject({ code: 'ETIMEOUT' });
  expect(asked.questions).toBe(questions);
});

test('an attempt that ends does not wait for it, and says nothing of the name', async () => {
  const { asked, resolve } = await startNameServer();
  const ending = new AbortController();
  const resolved = resolve('shop.example', ending.signal);
  ending.abort(new Error('The attempt has ended.'));
  await expect(resolved).rejects.toThrow('The attempt has ended.');
  const again = new AbortController();
  const { questions } = asked;
  const second = resolve('shop.example', again.signal);
  while (asked.questions === questions) await once(server, 'message');
  again.abort(new Error('Enough.'));
  await expect(second).rejects.toThrow('Enough.');
});

test('names that are unknown are remembered up to a bound, the oldest forgotten first', async () => {
  const { asked, resolve } = await startNameServer(unknown);
  for (let at = 0; at < NAMES; at++) {
    await expect(resolve(`shop${at}.example`, NEVER)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  }
  const { questions } = asked;
  await expect(resolve('shop1.example', NEVER)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  expect(asked.questions).toBe(questions);
  await expect(resolve('shop0.example', NEVER)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  expect(asked.questions).toBeGreaterThan(questions);
});

test.each(['localhost', 'shop.localhost', 'localhost.'])('%s is this machine, and nobody is asked', async (name) => {
  const { asked, resolve } = await startNameServer();
  expect((await resolve(name, NEVER)).map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
  expect(asked.questions).toBe(0);
});
