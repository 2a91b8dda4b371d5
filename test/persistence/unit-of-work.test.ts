/**
 * These tests run on a real PostgreSQL, because only its constraints and row counts say whether a
 * decision is stale.
 */
import type { EventEmitter } from 'node:events';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Pool, PoolClient } from 'pg';
import { Column, type DataSource, Entity, PrimaryColumn } from 'typeorm';
import { insertInto } from '../../src/persistence/batched.js';
import { createDataSource } from '../../src/persistence/data-source.js';
import { Database } from '../../src/persistence/database.js';
import { type Work } from '../../src/shared/unit.js';
import { createDatabase } from '../support/postgres.js';
import { unitsOf } from '../support/units.js';

const owner = { queue: 'test' };
let dataSource: DataSource;
let database: Database;
let units: ReturnType<typeof unitsOf>;
let close: () => Promise<void>;

beforeAll(async () => {
  const { url, drop } = await createDatabase({ empty: true });
  dataSource = await createDataSource({
    url,
    poolSize: 2,
    records: [],
    timeLimits: true,
  }).initialize();
  const { master } = dataSource.driver as unknown as { master: Pool };
  master.on('acquire', tellLater);
  await dataSource.query(
    'CREATE TABLE seats (seat integer CONSTRAINT seats_pkey PRIMARY KEY, guest text NOT NULL)',
  );
  await dataSource.query('CREATE TABLE notes (note text NOT NULL)');
  database = new Database(dataSource);
  units = unitsOf(database);
  close = async () => {
    await dataSource.destroy();
    await drop();
  };
});

const later = new WeakSet<EventEmitter>();

/**
 * Delays the message that PostgreSQL is ready by some turns, as happens when PostgreSQL sends an
 * error in a packet of its own.
 */
function tellLater(client: PoolClient): void {
  const { connection } = client as unknown as { connection: EventEmitter };
  if (later.has(connection)) return;
  later.add(connection);
  const emit = connection.emit.bind(connection);
  connection.emit = (event: string, ...told: unknown[]) => {
    if (event === 'readyForQuery') setTimeout(emit, 2, event, ...told);
    else emit(event, ...told);
    return true;
  };
}

afterAll(() => close());

beforeEach(() => dataSource.query('TRUNCATE seats, notes'));

@Entity('seats')
class SeatRecord {
  @PrimaryColumn('integer')
  seat!: number;

  @Column('text')
  guest!: string | null;
}

@Entity('notes')
class NoteRecord {
  @PrimaryColumn('text')
  note!: string;
}

const SEAT = insertInto('new_seat', SeatRecord);
const NOTE = insertInto('new_note', NoteRecord);

/** Adds a guest. The write is stale if the seat is taken. */
const sit = (unit: Work, seat: number, guest: string | null) =>
  database.batched(unit, SEAT, { seat, guest }, { stale: ['seats_pkey'] });
const RENAME = { name: 'seats.rename', text: 'UPDATE seats SET guest = $2 WHERE seat = $1' };
/** Renames a guest. The write is stale if the seat is empty. */
const rename = (unit: Work, seat: number, guest: string) =>
  database.changing(unit, RENAME, [seat, guest], 1);
const note = (unit: Work, text: string) => database.batched(unit, NOTE, { note: text });
/** Opens the transaction of the unit, as a lock does. */
const lock = (unit: Work) => database.query(unit, { name: 'lock', text: 'SELECT 1 AS locked' }, []);

async function stored() {
  const seats = await dataSource.query<{ seat: number; guest: string }[]>('SELECT * FROM seats');
  const notes = await dataSource.query<{ note: string }[]>('SELECT note FROM notes ORDER BY note');
  return {
    seats: Object.fromEntries(seats.map(({ seat, guest }) => [seat, guest])),
    notes: notes.map(({ note }) => note),
  };
}

const seat = (number: number) => units.commit(owner, async (unit) => sit(unit, number, 'Ada'));

/** Gives the use case the number of the attempt, and counts the attempts. */
function attempts<Result>(use: (unit: Work, attempt: number) => Result) {
  const counted = { made: 0, use: async (unit: Work) => use(unit, ++counted.made) };
  return counted;
}

test('a unit writes everything that was added, and returns the result', async () => {
  const use = async (unit: Work) => {
    sit(unit, 1, 'Ada');
    for (const text of ['one', 'two']) note(unit, text);
    return 'seated';
  };
  expect(await units.commit(owner, use)).toBe('seated');
  expect(await stored()).toEqual({ seats: { 1: 'Ada' }, notes: ['one', 'two'] });
});

test('a unit to which nothing is added returns the result, and writes nothing', async () => {
  expect(await units.commit(owner, async () => 'as before')).toBe('as before');
  expect(await stored()).toEqual({ seats: {}, notes: [] });
});

test.each([
  ['a constraint says that the state is stale', 1, sit, { 1: 'Ada', 2: 'Bob' }],
  ['a step changes another number of rows than it must', 2, rename, { 2: 'Bob' }],
])(
  'a use case runs again with a new unit when %s, in a new transaction if one was open',
  async (_, taken, write, seats) => {
    for (const isOpen of [false, true]) {
      await dataSource.query('TRUNCATE seats, notes');
      await seat(taken);
      const { use } = attempts(async (unit, attempt) => {
        if (isOpen) await lock(unit);
        note(unit, `seat ${attempt}`);
        write(unit, attempt, 'Bob');
        return attempt;
      });
      expect(await units.commit(owner, use)).toBe(2);
      expect(await stored()).toEqual({ seats, notes: ['seat 2'] });
    }
  },
);

test.each([
  ['a constraint', (unit: Work) => sit(unit, 1, 'Bob')],
  ['a number of rows', (unit: Work) => rename(unit, 2, 'Bob')],
])(
  'a use case is refused with service_unavailable when %s says five times that the state is stale',
  async (_, stale) => {
    await seat(1);
    const counted = attempts((unit) => {
      note(unit, 'never');
      stale(unit);
    });
    const refusal = { code: 'service_unavailable', kind: 'unavailable' };
    await expect(units.commit(owner, counted.use)).rejects.toMatchObject(refusal);
    expect(counted.made).toBe(5);
    expect(await stored()).toEqual({ seats: { 1: 'Ada' }, notes: [] });
  },
);

test.each([
  ['one statement', (unit: Work) => sit(unit, 1, 'Ada')],
  ['a transaction that counts rows', (unit: Work) => rename(unit, 3, 'Bob')],
])(
  'a use case does not run again, and writes nothing, when another constraint refuses %s',
  async (_, write) => {
    await seat(3);
    const counted = attempts((unit) => {
      write(unit);
      note(unit, 'never');
      sit(unit, 2, null);
    });
    await expect(units.commit(owner, counted.use)).rejects.toMatchObject({ code: '23502' });
    expect(counted.made).toBe(1);
    expect(await stored()).toEqual({ seats: { 3: 'Ada' }, notes: [] });
  },
);

const SIT = { name: 'seats.sit', text: 'INSERT INTO seats VALUES ($1, $2)' };

test('a failure of a use case undoes the steps of its transaction', async () => {
  const use = async (unit: Work) => {
    await database.query(unit, SIT, [1, 'Ada']);
    throw new Error('No.');
  };
  await expect(units.commit(owner, use)).rejects.toThrow('No.');
  expect(await stored()).toEqual({ seats: {}, notes: [] });
});

test('a unit is not committed if a statement of its transaction has failed, even if the use case caught the error', async () => {
  const committed: string[] = [];
  const use = async (unit: Work) => {
    await database.query(unit, SIT, [1, 'Ada']);
    await database.query(unit, SIT, [2, null]).catch(() => undefined);
    return 'seated';
  };
  const work = units.commit(owner, use).then((result) => committed.push(result));
  await expect(work).rejects.toThrow('The transaction failed before its commit.');
  expect([committed, await stored()]).toEqual([[], { seats: {}, notes: [] }]);
});

test('a unit has its effects once, and only after the commit', async () => {
  const committed: string[] = [];
  await seat(1);
  const { use } = attempts((unit, attempt) => {
    unit.afterCommit(() => committed.push(`seat ${attempt}`));
    sit(unit, attempt, 'Bob');
  });
  await units.commit(owner, use);
  expect(committed).toEqual(['seat 2']);
});

test('a unit reads within its transaction after a lock has opened it, and outside of it before', async () => {
  const guests = (unit: Work) =>
    database.read<{ guest: string }>(
      unit as never,
      { name: 'guests', text: 'SELECT guest FROM seats' },
      [],
    );
  const seen = await units.commit(owner, async (unit) => {
    const before = await guests(unit);
    await database.query(unit, SIT, [1, 'Ada']);
    return [before.length, (await guests(unit)).length];
  });
  expect(seen).toEqual([0, 1]);
});

test('a write outside of a unit of work fails, and so does a write of a unit that has ended', async () => {
  const kept = await units.commit(owner, async (unit) => unit as Work);
  for (const unit of [kept, { ...owner, now: 0, ahead: 0 } as unknown as Work])
    expect(() => note(unit, 'never')).toThrow('A write outside of a unit of work');
  expect(await stored()).toEqual({ seats: {}, notes: [] });
});
