import { expect, test } from '@jest/globals';
import { type Load, shareAttempts } from '../../src/modules/webhooks/application/share-attempts.js';
import type { DueReceiver } from '../../src/modules/webhooks/domain/receiver.js';

const due = (organization: string, receiver: string, stored = receiver): DueReceiver => ({
  organization,
  owner: organization,
  receiver,
  stored,
});

interface Situation {
  readonly room: number;
  readonly failingRoom?: number;
  readonly atOnce?: number;
  readonly failing?: readonly string[];
  /** Attempts under way are counted by organization, or by the name of a receiver. */
  readonly underWay?: Readonly<Record<string, number>>;
}

function load({
  room,
  failingRoom = room,
  atOnce = 16,
  failing = [],
  underWay = {},
}: Situation): Load {
  return {
    room,
    failingRoom,
    underWay: (ownerOrName) => underWay[ownerOrName] ?? 0,
    isFailing: ({ receiver }) => failing.includes(receiver),
    atOnce: () => atOnce,
  };
}

function shared(all: readonly DueReceiver[], situation: Situation): Record<string, number> {
  const { shares } = shareAttempts(all, load(situation));
  return Object.fromEntries(
    shares.map((share) => [`${share.due.organization} ${share.due.stored}`, share.take]),
  );
}

test('leaves half of the room to an organization with one receiver, beside one with a thousand', () => {
  const many = Array.from({ length: 1_000 }, (_, at) => due('many', `host${at}`));
  const shares = shared([...many, due('one', 'host')], { room: 20 });
  expect(shares['one host']).toBe(10);
  expect(Object.values(shares).reduce((sum, take) => sum + take)).toBe(20);
});

test('gives the receivers of an organization one attempt each in turn', () => {
  expect(shared([due('a', 'x'), due('a', 'y'), due('a', 'z')], { room: 7 })).toEqual({
    'a x': 3,
    'a y': 2,
    'a z': 2,
  });
});

test('takes first the organization that has the least under way', () => {
  expect(shared([due('a', 'x'), due('b', 'y')], { room: 1, underWay: { a: 3 } })).toEqual({
    'b y': 1,
  });
});

test('gives no receiver more than it may have at once, however many spellings it has', () => {
  const spellings = ['127.1:80', '127.0.0.1:80', '2130706433:80'].map((stored) =>
    due('a', '127.0.0.1:80', stored),
  );
  const shares = shared(spellings, { room: 100, atOnce: 4 });
  expect(Object.values(shares).reduce((sum, take) => sum + take)).toBe(4);
});

test('lets a receiver with more than half under way wait until a larger claim is possible', () => {
  expect(shared([due('a', 'x')], { room: 100, underWay: { 'a x': 9 } })).toEqual({});
  expect(shared([due('a', 'x')], { room: 100, underWay: { 'a x': 8 } })).toEqual({ 'a x': 8 });
});

test('takes failing receivers last, into a small room of their own', () => {
  const failing = Array.from({ length: 100 }, (_, at) => `dead${at}`);
  const all = [...failing.map((receiver) => due('a', receiver)), due('a', 'x')];
  const shares = shared(all, { room: 50, failingRoom: 8, failing });
  expect(shares['a x']).toBe(16);
  expect(Object.values(shares).reduce((sum, take) => sum + take)).toBe(16 + 8);
});

test('tells how many receivers wait for room, without those that fail', () => {
  const all = [due('a', 'x'), due('b', 'y'), due('c', 'dead')];
  const { shares, waiting } = shareAttempts(all, load({ room: 1, failing: ['dead'] }));
  expect(shares.map((share) => share.due.receiver)).toEqual(['x']);
  expect(waiting).toBe(1);
});
