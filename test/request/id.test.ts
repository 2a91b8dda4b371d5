import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { API_KEY_ID } from '../../src/modules/access/domain/api-key.js';
import { CHECKOUT_SESSION_ID } from '../../src/modules/checkout/domain/checkout-session.js';
import { EVENT_ID } from '../../src/modules/events/domain/event.js';
import { PAYMENT_ID } from '../../src/modules/payments/domain/payment.js';
import { REFUND_ID } from '../../src/modules/refunds/domain/refund-state.js';
import {
  createdAt,
  createdRange,
  FIRST_UUID,
  idOf,
  instantOf,
  isId,
  modeOf,
  newId,
  ORGANIZATION_ID,
  recordedAt,
  uuidOf,
} from '../../src/shared/id.js';

const NOW = 1_763_700_000_123;
const KINDS = [CHECKOUT_SESSION_ID, REFUND_ID, PAYMENT_ID, ORGANIZATION_ID, API_KEY_ID, EVENT_ID];

/**
 * These are the valid vectors of the TypeID specification 0.3, and the UUIDv7 of RFC 9562 appendix
 * A.6.
 */
const VECTORS = [
  ['00000000000000000000000000', '00000000-0000-0000-0000-000000000000'],
  ['00000000000000000000000001', '00000000-0000-0000-0000-000000000001'],
  ['0000000000000000000000000a', '00000000-0000-0000-0000-00000000000a'],
  ['0000000000000000000000000g', '00000000-0000-0000-0000-000000000010'],
  ['00000000000000000000000010', '00000000-0000-0000-0000-000000000020'],
  ['7zzzzzzzzzzzzzzzzzzzzzzzzz', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  ['0123456789abcdefghjkmnpqrs', '0110c853-1d09-52d8-d73e-1194e95b5f19'],
  ['01h455vb4pex5vsknk084sn02q', '01890a5d-ac96-774b-bcce-b302099a8057'],
] as const;

test.each(VECTORS)('%s is the UUID %s', (suffix, uuid) => {
  expect(idOf(ORGANIZATION_ID, uuid)).toBe(`org_${suffix}`);
  expect(uuidOf(`org_${suffix}`)).toBe(uuid.replaceAll('-', ''));
  expect(isId(ORGANIZATION_ID, `org_${suffix}`)).toBe(true);
});

test('a UUID survives the way to text and back, and texts have the order of their UUIDs', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (one, other) => {
      const id = idOf(CHECKOUT_SESSION_ID, one, 'live');
      expect(uuidOf(id)).toBe(one.replaceAll('-', ''));
      expect(isId(CHECKOUT_SESSION_ID, id)).toBe(true);
      expect(id < idOf(CHECKOUT_SESSION_ID, other, 'live')).toBe(one < other);
    }),
  );
});

test.each(KINDS)('an ID of kind $prefix has no other kind', (kind) => {
  const id = newId(kind, NOW, kind.hasMode ? 'test' : undefined);
  expect(KINDS.filter((other) => isId(other, id))).toEqual([kind]);
});

describe('a new ID', () => {
  test('is a UUIDv7 of its instant and mode', () => {
    const later = NOW + 1_000_000_000;
    const id = newId(PAYMENT_ID, later, 'live');
    expect(uuidOf(id)).toMatch(/^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
    expect({ mode: modeOf(id), instant: instantOf(id), created: createdAt(id) }).toEqual({
      mode: 'live',
      instant: later,
      created: Math.floor(later / 1000),
    });
    expect(modeOf(newId(PAYMENT_ID, later, 'test'))).toBe('test');
  });

  test('is greater than the ID before, 100,000 times within a millisecond', () => {
    const now = NOW + 2_000_000_000;
    expectAscending(Array.from({ length: 100_000 }, () => newId(CHECKOUT_SESSION_ID, now, 'test')));
  });

  test('is greater than the ID before while the clock goes back and stands still', () => {
    const start = NOW + 3_000_000_000;
    const clock = (count: number) => start + (count % 7) * 1000 - Math.floor(count / 100);
    const ids = Array.from({ length: 10_000 }, (_, count) =>
      newId(CHECKOUT_SESSION_ID, clock(count), 'test'),
    );
    expectAscending(ids);
    // The IDs wait for the clock instead of running ahead of it.
    expect(instantOf(ids.at(-1) as string)).toBe(start + 6000);
  });

  test('under a moved clock keeps the order of the other IDs, and has the time that the clock showed', () => {
    const start = NOW + 4_500_000_000;
    const ids = Array.from({ length: 100 }, (_, at) => {
      const ahead = at % 2 === 0 ? 0 : 400 * 86_400_000;
      return {
        ahead,
        real: start + at,
        id: newId(PAYMENT_ID, { now: start + at + ahead, ahead }, 'test'),
      };
    });
    expectAscending(ids.map(({ id }) => id));
    for (const { ahead, real, id } of ids) {
      expect(uuidOf(id)).toMatch(/^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
      expect(createdAt(id)).toBe(Math.floor((real + ahead) / 1000));
      expect([instantOf(id), recordedAt(id)]).toEqual([real, Math.floor(real / 1000)]);
    }
  });

  test('cannot be guessed from the ID before', () => {
    const now = NOW + 4_600_000_000;
    const ends = Array.from({ length: 1000 }, () =>
      uuidOf(newId(CHECKOUT_SESSION_ID, now, 'test')).slice(-8),
    );
    expect(new Set(ends).size).toBeGreaterThan(990);
  });
});

test('a range by instants begins with the first ID of its start, and ends before the first ID of its end', () => {
  const instant = NOW + 5_000_000_000;
  const [before, at, after] = [instant - 1, instant, instant + 1].map((now) =>
    uuidOf(newId(CHECKOUT_SESSION_ID, now, 'test')),
  );
  const open = { from: undefined, to: undefined, cursor: undefined };
  const isIn = (range: Partial<Parameters<typeof createdRange>[0]>) => {
    const [from, to] = createdRange({ ...open, ...range }, 0);
    return [before, at, after].map((uuid) => from <= `${uuid}` && `${uuid}` < to);
  };
  expect(isIn({})).toEqual([true, true, true]);
  expect(isIn({ from: instant })).toEqual([false, true, true]);
  expect(isIn({ to: instant })).toEqual([true, false, false]);
  expect(isIn({ from: instant, to: instant + 1 })).toEqual([false, true, false]);
  expect(isIn({ cursor: idOf(CHECKOUT_SESSION_ID, `${at}`, 'test') })).toEqual([
    true,
    false,
    false,
  ]);
  expect(isIn({ from: instant, to: instant })).toEqual([false, false, false]);
});

test('the first possible UUID is below every other UUID', () => {
  fc.assert(fc.property(fc.uuid(), (uuid) => FIRST_UUID <= uuid.replaceAll('-', '')));
});

function expectAscending(ids: readonly string[]): void {
  expect(ids.findIndex((id, at) => at > 0 && id <= (ids[at - 1] as string))).toBe(-1);
}
