import { setImmediate as iteration } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { RequestPacer } from '../../src/request/request-pacer.js';

/**
 * Adds so many requests to the pacer. Returns a list, which gets the number of each request when it
 * begins.
 */
function add(pacer: RequestPacer, count: number): number[] {
  const begun: number[] = [];
  for (let at = 0; at < count; at++) pacer.begin(() => begun.push(at));
  return begun;
}

const first = (count: number) => Array.from({ length: count }, (_, at) => at);

/** Returns a pacer of a process where more clients wait to be accepted. */
async function besideNewcomers(): Promise<RequestPacer> {
  const pacer = new RequestPacer();
  for (let connections = 0; connections < 3; connections++) {
    pacer.onConnection();
    await iteration();
  }
  pacer.onConnection();
  return pacer;
}

test('an iteration begins 128 requests, and the next iterations begin the others in order', async () => {
  const pacer = new RequestPacer();
  const begun = add(pacer, 300);
  expect(begun).toEqual(first(128));
  await iteration();
  const later = add(pacer, 1);
  expect([begun, later]).toEqual([first(256), []]);
  await iteration();
  expect([begun, later]).toEqual([first(300), [0]]);
  await iteration();
  expect(add(pacer, 200)).toHaveLength(128);
});

test('a connection that comes alone delays no request', async () => {
  const pacer = new RequestPacer();
  for (let connections = 0; connections < 3; connections++) {
    pacer.onConnection();
    expect(add(pacer, 40)).toHaveLength(40);
    await iteration();
    await iteration();
  }
});

test('three connections that come one after the other delay no request', async () => {
  const pacer = new RequestPacer();
  for (let connections = 0; connections < 3; connections++) {
    pacer.onConnection();
    expect(add(pacer, 40)).toHaveLength(40);
    await iteration();
  }
  await iteration();
  pacer.onConnection();
  expect(add(pacer, 40)).toHaveLength(40);
});

test('while connections come one after the other, an iteration begins one request', async () => {
  const pacer = await besideNewcomers();
  const begun = add(pacer, 40);
  for (let iterations = 1; iterations <= 30; iterations++) {
    expect(begun).toEqual(first(iterations));
    await iteration();
    pacer.onConnection();
  }
});

test('after the last client was accepted, each iteration begins twice as many requests as the one before', async () => {
  const pacer = await besideNewcomers();
  const begun = add(pacer, 400);
  await iteration();
  let most = 1;
  let all = 2;
  while (begun.length < 400) {
    expect(begun).toEqual(first(all));
    most = Math.min(most * 2, 128);
    all = Math.min(all + most, 400);
    await iteration();
  }
  expect(all).toBe(400);
});

test('a later connection that comes alone does not reduce the requests of an iteration again', async () => {
  const pacer = await besideNewcomers();
  for (let iterations = 0; iterations < 4; iterations++) await iteration();
  pacer.onConnection();
  expect(add(pacer, 40)).toHaveLength(8);
});
