import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { RequestPacer } from '../../src/request/request-pacer.js';

/** Asks for so many, and returns the numbers of those that have begun so far. */
function ask(pacer: RequestPacer, count: number): number[] {
  const begun: number[] = [];
  for (let at = 0; at < count; at++) pacer.begin(() => begun.push(at));
  return begun;
}

const first = (count: number) => Array.from({ length: count }, (_, at) => at);

test('a turn begins 128 requests, and the others begin in order in the next ones', async () => {
  const pacer = new RequestPacer();
  const begun = ask(pacer, 300);
  expect(begun).toEqual(first(128));
  await turn();
  const later = ask(pacer, 1);
  expect([begun, later]).toEqual([first(256), []]);
  await turn();
  expect([begun, later]).toEqual([first(300), [0]]);
  await turn();
  expect(ask(pacer, 200)).toHaveLength(128);
});

test('after a connection was accepted, sixteen turns begin one request each', async () => {
  const pacer = new RequestPacer();
  pacer.onConnection();
  const begun = ask(pacer, 40);
  for (let turns = 1; turns <= 16; turns++) {
    expect(begun).toEqual(first(turns));
    await turn();
  }
  await turn();
  expect(begun).toEqual(first(40));
});
