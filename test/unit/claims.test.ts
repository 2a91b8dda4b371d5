/** The order of claims, as a model without a database: who is claimed next, and when. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ClaimRefunds } from '../../src/modules/refunds/application/claim-refunds.js';
import { Claims, type Refunds } from '../../src/modules/refunds/application/ports.js';
import { Refund } from '../../src/modules/refunds/domain/refund.js';
import { type Turn, turnsOf } from '../../src/modules/refunds/domain/turns.js';
import type { Ledger } from '../../src/shared/caller.js';
import type { Write } from '../../src/shared/decision.js';
import { refusalOf } from '../support/refusal.js';

const NOW = 1_763_700_000_000;
const PAYMENT = { id: 'pay_live_01h455vb4pex5vsknk084sn02q', mode: 'live', currency: 'usd', refundable: 5000 } as const;
const PROPOSAL = { payment: PAYMENT.id, amount: 100, reference: null, description: null };
const propose = (organization = 'org_10') =>
  Refund.propose({ ...PAYMENT, organization }, PROPOSAL, { now: NOW, ahead: 0 });
const PENDING = propose();
const idsOf = (refunds: readonly Refund[]) => refunds.map(({ state }) => state.id);
const seconds = (instant: number) => (instant - NOW) / 1000;
/** The end of the lease and the wait after it, in seconds from NOW. */
const timesOf = ({ state }: Refund) => [seconds(state.claimExpiresAt ?? 0), seconds(state.claimableAt)];
const extension = (leaseSeconds: number) => ({ claim: 1, leaseSeconds, providerReference: null });

describe('a claim', () => {
  test('that lapses for the nth time in a row waits its lease times 2 to the n-1, at most an hour', () => {
    const waits: number[] = [];
    let refund = PENDING;
    let now = NOW;
    for (let claims = 1; claims <= 9; claims++) {
      refund = refund.claim(now, 60);
      const { claimNumber, claimExpiresAt, claimableAt } = refund.state;
      expect(claimNumber).toBe(claims);
      expect(() => refund.claim(claimableAt - 1, 60)).toThrow(RangeError);
      waits.push((claimableAt - (claimExpiresAt as number)) / 1000);
      now = claimableAt;
    }
    expect(waits).toEqual([60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]);
  });

  test('begins anew after a release, which may delay the next one', () => {
    const lapsed = PENDING.claim(NOW, 60).claim(NOW + 120_000, 60);
    const released = lapsed.release(2, 30, NOW + 130_000);
    expect(released.state).toMatchObject({
      claimNumber: 2,
      claimExpiresAt: null,
      lapses: 0,
      claimableAt: NOW + 160_000,
    });
    expect(() => released.claim(NOW + 159_999, 60)).toThrow(RangeError);
    expect(timesOf(released.claim(NOW + 160_000, 60))).toEqual([220, 280]);
  });

  test('is never shortened by an extension', () => {
    const claimed = PENDING.claim(NOW, 60);
    expect(timesOf(claimed.extend(extension(30), NOW + 20_000))).toEqual([60, 120]);
    expect(timesOf(claimed.extend(extension(90), NOW + 20_000))).toEqual([110, 200]);
  });

  test('keeps what the provider calls the refund', () => {
    const extended = PENDING.claim(NOW, 60).extend({ ...extension(5_184_000), providerReference: 're_1' }, NOW);
    expect(extended.state.providerReference).toBe('re_1');
    expect(timesOf(extended)).toEqual([5_184_000, 5_187_600]);
    expect(extended.extend(extension(60), NOW).state.providerReference).toBe('re_1');
    expect(extended.succeed(null).state.providerReference).toBe('re_1');
    expect(extended.succeed('re_2').state.providerReference).toBe('re_2');
  });

  test('with another number is refused', () => {
    const claimed = PENDING.claim(NOW, 60);
    for (const change of [
      () => claimed.extend({ ...extension(60), claim: 2 }, NOW),
      () => claimed.release(2, 0, NOW),
    ]) {
      expect(refusalOf(change)).toMatchObject({ code: 'refund_claimed', errors: [{ param: 'claim' }] });
    }
  });
});

describe('turns', () => {
  const waiting = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([organization, refunds]) => ({ organization, refunds }));

  test.each([
    [{ a: 5000, b: 20 }, 10, { a: 5, b: 5 }],
    [{ a: 5000, b: 2 }, 10, { a: 8, b: 2 }],
    [{ a: 1, b: 1, c: 1 }, 2, { a: 1, b: 1 }],
    [{ a: 3, b: 0, c: 9 }, 5, { a: 3, c: 2 }],
    [{ a: 1 }, 100, { a: 1 }],
    [{}, 10, {}],
  ])('of %j with a limit of %i are %j', (counts, limit, expected) => {
    expect(turnsOf(waiting(counts), limit)).toEqual(waiting(expected));
  });
});

/** The claims of a database without one: `LOOKED` organizations a look, as far as the port allows. */
class RememberedClaims extends Claims {
  now = NOW;

  constructor(readonly refunds: Map<string, Refund>) {
    super();
  }

  claimable(organization: string): Refund[] {
    const isFree = ({ state: { status, claimableAt, claimExpiresAt } }: Refund) =>
      status === 'pending' && claimableAt <= this.now && (claimExpiresAt ?? 0) <= this.now;
    const own = [...this.refunds.values()].filter(({ state }) => state.organization === organization);
    return own
      .filter(isFree)
      .sort(
        (one, other) => one.state.claimableAt - other.state.claimableAt || (one.state.id < other.state.id ? -1 : 1),
      );
  }

  get organizations(): string[] {
    const pending = [...this.refunds.values()].filter(({ state }) => state.status === 'pending');
    return [...new Set(pending.map(({ state }) => state.organization))].sort();
  }

  async waiting(_: Ledger, last: string, limit: number): Promise<Turn[]> {
    const all = this.organizations;
    const ring = [...all.filter((one) => one > last), ...all.filter((one) => one <= last)];
    const looked = ring.slice(0, LOOKED).map((organization) => {
      return { organization, refunds: Math.min(this.claimable(organization).length, limit) };
    });
    const isCut = ring.length > LOOKED;
    return looked.filter(({ refunds }, at) => refunds > 0 || (isCut && at === LOOKED - 1)).slice(0, limit);
  }

  async lock(_: Ledger, turns: readonly Turn[]) {
    const locked = turns.flatMap(({ organization, refunds }) => this.claimable(organization).slice(0, refunds));
    return { refunds: locked, now: this.now };
  }

  store(_: Ledger, claimed: readonly Refund[]): Write[] {
    for (const one of claimed) this.refunds.set(one.state.id, one);
    return [];
  }
}

const LOOKED = 3;
const LEDGER: Ledger = { mode: 'live' };
const NO_REFUNDS = {} as Refunds;

interface Plan {
  readonly counts: readonly number[];
  readonly claims: readonly { readonly limit: number; readonly process: number; readonly ends: readonly string[] }[];
}

const PLANS: fc.Arbitrary<Plan> = fc.record({
  counts: fc.array(fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constant(40)), { minLength: 1, maxLength: 12 }),
  claims: fc.array(
    fc.record({
      limit: fc.constantFrom(1, 2, 5, 10),
      process: fc.nat(1),
      ends: fc.array(fc.constantFrom('paid', 'released', 'delayed', 'extended', 'left'), {
        minLength: 1,
        maxLength: 5,
      }),
    }),
    { minLength: 20, maxLength: 60 },
  ),
});

async function claimed(process: ClaimRefunds, limit: number): Promise<readonly Refund[]> {
  const decision = await process.execute(LEDGER, { limit, leaseSeconds: 15, organization: undefined });
  if (!('decide' in decision)) throw new Error('A claim locks what it takes.');
  return (await decision.decide()).result;
}

const atProvider = (claim: number) => ({ claim, leaseSeconds: 5_184_000, providerReference: 're_1' });

/** A worker ends its claim; one that dies leaves it. */
function end(refund: Refund, how: string | undefined, now: number): Refund {
  const { claimNumber } = refund.state;
  if (how === 'paid') return refund.succeed(null);
  if (how === 'released') return refund.release(claimNumber, 0, now);
  if (how === 'delayed') return refund.release(claimNumber, 60, now);
  return how === 'extended' ? refund.extend(atProvider(claimNumber), now) : refund;
}

describe('claims of all organizations', () => {
  test('are fair, whatever the workers do with their refunds', async () => {
    await fc.assert(
      fc.asyncProperty(PLANS, async ({ counts, claims }) => {
        const proposed = counts.flatMap((count, organization) => Array<number>(count).fill(organization));
        const owned = proposed.map((organization) => propose(`org_${10 + organization}`));
        const database = new RememberedClaims(new Map(owned.map((one) => [one.state.id, one])));
        const processes = [new ClaimRefunds(database, NO_REFUNDS), new ClaimRefunds(database, NO_REFUNDS)];
        /** How many claims of each process an organization has waited with refunds that nobody took. */
        const waited = processes.map(() => new Map<string, number>());
        for (const { limit, process, ends } of claims) {
          const before = new Map(database.organizations.map((one) => [one, database.claimable(one)]));
          const taken = await claimed(processes[process] as ClaimRefunds, limit);
          const isSome = [...before.values()].some((free) => free.length > 0);
          expect(taken.length > 0).toBe(isSome);
          for (const [organization, free] of before) {
            const own = idsOf(taken.filter(({ state }) => state.organization === organization));
            // Of each organization the first ones: those never claimed, then those that wait longest.
            expect(own).toEqual(idsOf(free.slice(0, own.length)).toSorted());
            const turns = waited[process] as Map<string, number>;
            turns.set(organization, own.length > 0 || free.length === 0 ? 0 : (turns.get(organization) ?? 0) + 1);
            if (own.length > 0) for (const others of waited) others.set(organization, 0);
            // Each claim goes on at least by one organization.
            expect(turns.get(organization)).toBeLessThanOrEqual(counts.length);
          }
          expectEqualTurns(taken, before);
          for (const [at, one] of taken.entries()) {
            const refund = end(one, ends[at % ends.length], database.now);
            database.refunds.set(refund.state.id, refund);
          }
          database.now += 10_000;
        }
      }),
      { numRuns: 80 },
    );
  });
});

/** In one claim, nobody has two refunds more than an organization with refunds left. Who was not looked at had its turn before. */
function expectEqualTurns(taken: readonly Refund[], before: ReadonlyMap<string, readonly Refund[]>): void {
  const counts = new Map<string, number>();
  for (const { state } of taken) counts.set(state.organization, (counts.get(state.organization) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  const left = [...counts].filter(([organization, count]) => count < (before.get(organization)?.length ?? 0));
  for (const [, count] of left) expect(most - count).toBeLessThanOrEqual(1);
}
