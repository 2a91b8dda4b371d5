/**
 * On a real PostgreSQL, these tests say which writes go together, when they go, and which write
 * gets which outcome.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { Client } from 'pg';
import { Column, type DataSource, Entity, PrimaryColumn } from 'typeorm';
import { BatchWriter } from '../../src/persistence/batch/batch-writer.js';
import {
  changeAmounts,
  insertInto,
  partOf,
  type StatementPart,
} from '../../src/persistence/batch/batched-write.js';
import { createDataSource } from '../../src/persistence/data-source.js';
import { Database } from '../../src/persistence/database.js';
import { MODES, type Owner } from '../../src/shared/caller.js';
import { Stale, type Work } from '../../src/shared/unit.js';
import { createDatabase } from '../support/postgres.js';
import { until } from '../support/processes.js';
import { unitsOf } from '../support/units.js';

const queries = jest.spyOn(Client.prototype, 'query');

/** Returns the names of the statements of writes that were sent, each with its notes. */
const sent = () =>
  queries.mock.calls.flatMap(([query]: readonly unknown[]) => {
    const { name = '', runs = [] } = query as {
      name?: string;
      runs?: readonly (readonly unknown[])[];
    };
    return name.includes('new_note') ? [{ name, notes: notesIn(runs[0]?.[0]) }] : [];
  });

/** Finds the texts in a binary array: nothing else in it is printable. */
const notesIn = (value: unknown): string[] =>
  Buffer.isBuffer(value) ? (value.toString('latin1').match(/[a-z]+\d*/g) ?? []) : [String(value)];

const ALICE = { queue: 'alice' };
const BOB = { queue: 'bob' };
const [ALONE, ALL] = ['new_note', 'limited new_note*'];
let dataSource: DataSource;
let database: Database;
let units: ReturnType<typeof unitsOf>;
let outsider: Client;
let close: () => Promise<void>;

beforeAll(async () => {
  const { url, drop } = await createDatabase({ empty: true });
  outsider = new Client({ connectionString: url });
  await outsider.connect();
  // This is longer than a busy machine takes for the statements before a lock is awaited.
  await outsider.query(
    `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET lock_timeout = '20s'`,
  );
  dataSource = await createDataSource({
    url,
    poolSize: 6,
    records: [],
    timeLimits: false,
  }).initialize();
  await dataSource.query(`CREATE TYPE mode AS ENUM ('test', 'live');
    CREATE TABLE notes (note text PRIMARY KEY CHECK (note <> 'refused'), more text);
    CREATE TABLE purses (organization_id uuid, mode mode, id uuid, amount bigint CHECK (amount <= 100),
      is_closed boolean NOT NULL DEFAULT false, PRIMARY KEY (organization_id, mode, id))`);
  database = new Database(dataSource);
  units = unitsOf(database);
  close = async () => {
    await outsider.end();
    await dataSource.destroy();
    await drop();
  };
});

afterAll(() => close());

beforeEach(async () => {
  await outsider.query('TRUNCATE notes, purses');
  queries.mockClear();
});

@Entity('notes')
class NoteRecord {
  @PrimaryColumn('text')
  note!: string;

  @Column('text')
  more!: string;
}

const NOTE = insertInto('new_note', NoteRecord);
const note = (text: string, owner: Owner = ALICE, more = ''): StatementPart =>
  partOf(owner, NOTE, { note: text, more });
const noted = (unit: Work, text: string, more = '') =>
  database.batched(unit, NOTE, { note: text, more });
const add = (text: string, owner: Owner = ALICE, more = ''): Promise<null> =>
  units.commit(owner, async (unit) => {
    noted(unit, text, more);
    return null;
  });
const many = (count: number, owner = ALICE, name = owner.queue): Promise<null>[] =>
  Array.from({ length: count }, (_, index) => add(`${name}${index}`, owner));

async function stored(): Promise<string[]> {
  return (await outsider.query('SELECT note FROM notes ORDER BY note')).rows.map((row) => row.note);
}

test('a write that comes alone is sent as its usual statement', async () => {
  await add('one');
  expect(sent()).toEqual([{ name: ALONE, notes: ['one'] }]);
  expect(await stored()).toEqual(['one']);
});

test('writes of one turn are sent as one statement, whoever owns them', async () => {
  await Promise.all([...many(2), ...many(2, BOB)]);
  expect(sent()).toEqual([{ name: ALL, notes: ['alice0', 'bob0', 'alice1', 'bob1'] }]);
  expect(await stored()).toEqual(['alice0', 'alice1', 'bob0', 'bob1']);
});

test('units that add rows of the same kinds in another order are sent as one statement', async () => {
  const ANOTHER = insertInto('another_note', NoteRecord);
  const filled = [
    [NOTE, ANOTHER],
    [ANOTHER, NOTE],
  ].map((writes, at) =>
    units.commit(ALICE, async (unit) => {
      for (const write of writes)
        database.batched(unit, write, { note: `${write.name}${at}`, more: '' });
    }),
  );
  await Promise.all(filled);
  expect(sent().map(({ name }) => name)).toEqual(['limited another_note* new_note*']);
});

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
  return units.commit(owner, async (unit) => {
    // The unit sends the change last, whatever the order of the calls, because it locks a row.
    database.batched(unit, FILL, { key, amount, seen: false });
    noted(unit, text);
    return null;
  });
};

async function openPurses(): Promise<void> {
  for (const { organization, mode } of OWNERS)
    for (const id of PURSES)
      await outsider.query('INSERT INTO purses VALUES ($1, $2, $3, 0)', [organization, mode, id]);
}

async function amounts(): Promise<number[]> {
  const { rows } = await outsider.query(
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
  const notes = ['a', 'b', 'c'].flatMap((letter) => OWNERS.map((_, at) => `${letter}${at}`));
  expect(sent()).toEqual([{ name: `${ALL} fill*`, notes }]);
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
  await outsider.query('BEGIN');
  await outsider.query('SELECT FROM purses WHERE organization_id = $1 AND mode = $2 FOR UPDATE', [
    held.organization,
    held.mode,
  ]);
  const waiting = change(held, 'held');
  await Promise.all(others.map((owner, at) => change(owner, `other${at}`)));
  // A change that takes as long counts as one that waited for a lock.
  await sleep(100);
  await outsider.query('ROLLBACK');
  await waiting;
  queries.mockClear();
  await Promise.all([change(held, 'held2'), ...others.map((owner, at) => change(owner, `b${at}`))]);
  expect(sent()).toContainEqual({ name: `${ALONE} fill`, notes: ['held2'] });
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
    expect(await stored()).toEqual(['of1', 'of2'].slice(0, count - 1));
    expect((await amounts()).slice(0, 2)).toEqual(count === 1 ? [0, 0] : [1, 1]);
  },
);

test.each([1, 3])(
  'when %i changes come at once, the change of a row that has been closed since is stale',
  async (count) => {
    await openPurses();
    const [owner] = OWNERS as [Filled['owner']];
    const [closed, ...others] = PURSES as [string, string];
    await outsider.query('UPDATE purses SET is_closed = true WHERE id = $1', [closed]);
    const purses = [closed, ...others, ...others].slice(0, count);
    const outcomes = await Promise.allSettled(
      purses.map((purse, at) => fill({ owner, text: `of${at}`, purse, amount: 1 })),
    );
    const stale = { status: 'rejected', reason: expect.any(Stale) };
    const done = { status: 'fulfilled', value: null };
    expect(outcomes).toEqual([stale, done, done].slice(0, count));
    expect(await stored()).toEqual(['of1', 'of2'].slice(0, count - 1));
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
  expect([await stored(), await amounts()]).toEqual(
    outcomes[0]?.status === 'fulfilled'
      ? [['of60'], [60, ...Array(7).fill(0)]]
      : [['of70'], [70, ...Array(7).fill(0)]],
  );
});

test('an owner with many writes leaves the other owners their places in a statement', async () => {
  await Promise.all([...many(50), ...many(3, BOB)]);
  expect(sent()[0]?.notes).toHaveLength(16);
  expect(sent()[0]?.notes.filter((text) => text.startsWith('bob'))).toEqual([
    'bob0',
    'bob1',
    'bob2',
  ]);
  expect(await stored()).toHaveLength(53);
});

test('a statement has at most 16 rows and 256 KiB', async () => {
  await Promise.all([
    ...many(17),
    ...['x', 'y', 'z'].map((text) => add(text, BOB, '€'.repeat(40 * 1024))),
  ]);
  expect(sent().map(({ notes }) => notes.filter((text) => /^[xyz]$/.test(text)).length)).toEqual([
    2, 1,
  ]);
  expect(await stored()).toHaveLength(20);
});

test('a refused row fails alone', async () => {
  const writes = await Promise.allSettled([
    add('one'),
    add('refused'),
    add('two'),
    add('two'),
    add('three'),
  ]);
  const failed = writes.flatMap((write) =>
    write.status === 'rejected' ? [write.reason.constraint] : [],
  );
  expect(failed.toSorted()).toEqual(['notes_note_check', 'notes_pkey']);
  expect(await stored()).toEqual(['one', 'three', 'two']);
});

test('a row that waits for a lock delays no other row, neither of its statement nor later', async () => {
  await outsider.query(`BEGIN; INSERT INTO notes VALUES ('held')`);
  const held = add('held').catch(({ code }) => code);
  const others = Promise.all([...many(3), add('later')]);
  // PostgreSQL would wait for 20 seconds, and the whole statement with it.
  const late = sleep(10_000, 'nobody', { ref: false });
  expect(await Promise.race([held, others.then(() => 'others'), late])).toBe('others');
  await outsider.query('ROLLBACK');
  expect(await held).toBe(null);
  expect(await stored()).toEqual(['alice0', 'alice1', 'alice2', 'held', 'later']);
});

test('no caller gets the error of a deadlock', async () => {
  await outsider.query(`BEGIN; INSERT INTO notes VALUES ('second')`);
  const writes = Promise.allSettled([add('first'), add('second'), add('third')]);
  await until(() => sent().length > 0);
  // The outsider waits for the statement, which waits for the outsider.
  await outsider.query(`INSERT INTO notes VALUES ('first') ON CONFLICT DO NOTHING; COMMIT`);
  const refused = (await writes).flatMap((one) =>
    one.status === 'rejected' ? [one.reason.code] : [],
  );
  expect(new Set(refused)).toEqual(new Set(['23505']));
  expect(await stored()).toEqual(['first', 'second', 'third']);
});

test('while a write waits for a lock, the next writes are sent together and do not wait for it', async () => {
  await outsider.query(`BEGIN; INSERT INTO notes VALUES ('held')`);
  const held = add('held').catch(({ code }) => code);
  await until(() => sent().length === 1);
  const next = Promise.all([add('one'), add('two')]);
  expect(await Promise.race([held, next.then(() => 'next')])).toBe('next');
  expect(sent()).toEqual([
    { name: ALONE, notes: ['held'] },
    { name: ALL, notes: ['one', 'two'] },
  ]);
  await outsider.query('ROLLBACK');
  await held;
});

test('writes of one kind in a transaction are sent as one statement, without the writes of others', async () => {
  await Promise.all([
    add('alone'),
    units.commit(ALICE, async (unit) => {
      await database.inTransaction(unit, async () => undefined);
      noted(unit, 'one');
      noted(unit, 'two');
    }),
  ]);
  expect(sent().toSorted((one, other) => one.name.localeCompare(other.name))).toEqual([
    { name: ALONE, notes: ['alone'] },
    { name: `${ALONE}*`, notes: ['one', 'two'] },
  ]);
});

test('each write is a statement of its own when the database is distributed', async () => {
  const apart = new Database(dataSource, true);
  const open = unitsOf(apart);
  const written = (unit: Work, text: string) => apart.batched(unit, NOTE, { note: text, more: '' });
  await Promise.all(
    ['one', 'two'].map((text) => open.commit(ALICE, async (unit) => written(unit, text))),
  );
  await open.commit(ALICE, async (unit) => {
    await apart.inTransaction(unit, async () => undefined);
    for (const text of ['three', 'four']) written(unit, text);
  });
  expect(sent().map(({ name }) => name)).toEqual(Array(4).fill(ALONE));
});

test('2,000 writes of one owner may wait, and 8,000 writes of all owners', async () => {
  const writes = new BatchWriter({ send: async () => [] } as never);
  const refused = async (queue: string) => {
    const added = Array.from({ length: 2_001 }, (_, index) =>
      writes.add([note(`${queue}${index}`, { queue })]),
    );
    return (await Promise.allSettled(added)).filter(({ status }) => status === 'rejected').length;
  };
  const owners = ['one', 'two', 'three', 'four', 'five'];
  expect(await Promise.all(owners.map(refused))).toEqual([1, 1, 1, 1, 2_001]);
  expect(await refused('five')).toBe(1);
});
