/**
 * On a real PostgreSQL, these tests say which changes of amounts go together, and that each changes
 * only the row that it names.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { changeAmounts } from '../../src/persistence/batch/batched-write.js';
import { MODES } from '../../src/shared/caller.js';
import { Stale } from '../../src/shared/unit.js';
import { ALL, ALONE, useNotes } from '../support/notes.js';

const notes = useNotes();

const FILL = changeAmounts(
  'fill',
  'purses',
  'is_closed',
  (amount) => `amount = amount + ${amount}`,
);
const ORGANIZATIONS = [1, 2].map((number) => `${number}`.padStart(32, '0'));
const OWNERS = ORGANIZATIONS.flatMap((organization) =>
  MODES.map((mode) => ({ organization, mode })),
);
/** Each owner has purses with these IDs. */
const PURSES = [1, 2].map((number) => `${number}`.padStart(32, '9'));

interface Filled {
  readonly owner: (typeof OWNERS)[number];
  readonly text: string;
  readonly purse: string;
  readonly amount: number;
}

/** Changes a purse and adds a note, because a statement begins with an insert. */
const fill = ({ owner, text, purse, amount }: Filled): Promise<null> => {
  const key = [owner.organization, owner.mode, purse];
  return notes.units.commit(owner, async (unit) => {
    // The unit sends the change last, whatever the order of the calls, because it locks a row.
    notes.database.batched(unit, FILL, { key, amount, seen: false });
    notes.noted(unit, text);
    return null;
  });
};

async function openPurses(): Promise<void> {
  for (const { organization, mode } of OWNERS)
    for (const id of PURSES)
      await notes.outsider.query('INSERT INTO purses VALUES ($1, $2, $3, 0)', [
        organization,
        mode,
        id,
      ]);
}

async function amounts(): Promise<number[]> {
  const { rows } = await notes.outsider.query(
    'SELECT amount FROM purses ORDER BY organization_id, mode, id',
  );
  return rows.map(({ amount }) => Number(amount));
}

/** Changes the purses of each owner by amounts of its own, with as many notes. */
const fillAll = (owners: readonly Filled['owner'][]): Promise<unknown> => {
  const fills = owners.flatMap((owner, at) =>
    ['a', 'b', 'c'].map((letter, place) => ({
      owner,
      text: `${letter}${at}`,
      purse: PURSES[place % 2] as string,
      amount: 10 * at + place + 1,
    })),
  );
  return Promise.all(fills.map(fill));
};

test('changes of all organizations and modes are sent as one statement, and changes of one row are added', async () => {
  await openPurses();
  await fillAll(OWNERS);
  const names = ['a', 'b', 'c'].flatMap((letter) => OWNERS.map((_, at) => `${letter}${at}`));
  expect(notes.sent()).toEqual([{ name: `${ALL} fill*`, notes: names }]);
  expect(await amounts()).toEqual([4, 2, 24, 12, 44, 22, 64, 32]);
});

test('a change changes no row of an owner who has not named it', async () => {
  await openPurses();
  const [first, second] = OWNERS as [Filled['owner'], Filled['owner']];
  const [one, other] = PURSES as [string, string];
  await Promise.all([
    fill({ owner: first, text: 'first', purse: one, amount: 1 }),
    fill({ owner: second, text: 'second', purse: other, amount: 2 }),
  ]);
  expect(await amounts()).toEqual([1, 0, 0, 2, 0, 0, 0, 0]);
});

test('an owner whose row is locked has statements of its own for a while, and delays nobody else', async () => {
  await openPurses();
  const [held, ...others] = OWNERS as [Filled['owner'], ...Filled['owner'][]];
  const change = (owner: Filled['owner'], text: string) =>
    fill({ owner, text, purse: PURSES[0] as string, amount: 1 });
  await notes.outsider.query('BEGIN');
  await notes.outsider.query(
    'SELECT FROM purses WHERE organization_id = $1 AND mode = $2 FOR UPDATE',
    [held.organization, held.mode],
  );
  const waiting = change(held, 'held');
  await Promise.all(others.map((owner, at) => change(owner, `other${at}`)));
  // A change that takes as long counts as one that waited for a lock.
  await sleep(100);
  await notes.outsider.query('ROLLBACK');
  await waiting;
  notes.forgetSent();
  await Promise.all([change(held, 'held2'), ...others.map((owner, at) => change(owner, `b${at}`))]);
  expect(notes.sent()).toContainEqual({ name: `${ALONE} fill`, notes: ['held2'] });
  expect(await amounts()).toEqual([2, 0, 2, 0, 2, 0, 2, 0]);
});

test.each([1, 3])(
  'when %i changes come at once, the change of a missing row writes nothing',
  async (count) => {
    await openPurses();
    const [owner] = OWNERS as [Filled['owner']];
    const purses = ['9'.repeat(32), ...PURSES].slice(0, count);
    const outcomes = await Promise.allSettled(
      purses.map((purse, at) => fill({ owner, text: `of${at}`, purse, amount: 1 })),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(
      ['rejected', 'fulfilled', 'fulfilled'].slice(0, count),
    );
    expect(await notes.stored()).toEqual(['of1', 'of2'].slice(0, count - 1));
    expect((await amounts()).slice(0, 2)).toEqual(count === 1 ? [0, 0] : [1, 1]);
  },
);

test.each([1, 3])(
  'when %i changes come at once, the change of a row that has been closed since is stale',
  async (count) => {
    await openPurses();
    const [owner] = OWNERS as [Filled['owner']];
    const [closed, ...others] = PURSES as [string, string];
    await notes.outsider.query('UPDATE purses SET is_closed = true WHERE id = $1', [closed]);
    const purses = [closed, ...others, ...others].slice(0, count);
    const outcomes = await Promise.allSettled(
      purses.map((purse, at) => fill({ owner, text: `of${at}`, purse, amount: 1 })),
    );
    const stale = { status: 'rejected', reason: expect.any(Stale) };
    const done = { status: 'fulfilled', value: null };
    expect(outcomes).toEqual([stale, done, done].slice(0, count));
    expect(await notes.stored()).toEqual(['of1', 'of2'].slice(0, count - 1));
    expect((await amounts()).slice(0, 2)).toEqual([0, count - 1]);
  },
);

test('when changes come at once, only the change that a constraint allows is written', async () => {
  await openPurses();
  const [owner] = OWNERS as [Filled['owner']];
  const one = (amount: number) =>
    fill({ owner, text: `of${amount}`, purse: PURSES[0] as string, amount });
  const outcomes = await Promise.allSettled([one(60), one(70)]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect([await notes.stored(), await amounts()]).toEqual(
    outcomes[0]?.status === 'fulfilled'
      ? [['of60'], [60, ...Array(7).fill(0)]]
      : [['of70'], [70, ...Array(7).fill(0)]],
  );
});
