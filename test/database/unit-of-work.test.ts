/** On a real PostgreSQL: only its constraints and row counts say whether a decision is stale. */
import type { EventEmitter } from 'node:events';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Pool, PoolClient } from 'pg';
import { Column, type DataSource, Entity, PrimaryColumn } from 'typeorm';
import { hot, insertInto, type Part } from '../../src/engine/form.js';
import { composed } from '../../src/engine/statement.js';
import { createDataSource } from '../../src/persistence/data-source.js';
import { Database } from '../../src/persistence/database.js';
import { decided, inTransaction } from '../../src/shared/decision.js';
import { createDatabase } from '../support/postgres.js';

const owner = { queue: 'test' };
let dataSource: DataSource;
let database: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  const { url, drop } = await createDatabase({ empty: true });
  dataSource = await createDataSource({ url, poolSize: 2, records: [], timeLimits: true }).initialize();
  const { master } = dataSource.driver as unknown as { master: Pool };
  master.on('acquire', tellLater);
  await dataSource.query('CREATE TABLE seats (seat integer CONSTRAINT seats_pkey PRIMARY KEY, guest text NOT NULL)');
  await dataSource.query('CREATE TABLE notes (note text NOT NULL)');
  database = new Database(dataSource);
  close = async () => {
    await dataSource.destroy();
    await drop();
  };
});

const later = new WeakSet<EventEmitter>();

/** That PostgreSQL is ready comes some turns after what made it so, as it may when it sends an error in a packet of its own. */
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

/** Stale when somebody sits there. */
const sit = (seat: number, guest: string | null): Part => hot(owner, SEAT, { seat, guest }, { stale: ['seats_pkey'] });
/** Stale when nobody sits there. */
const rename = (seat: number, guest: string): Part => ({
  name: 'seats.rename',
  owner,
  sql: 'UPDATE seats SET guest = $2 WHERE seat = $1',
  values: [seat, guest],
  rows: 1,
});
const note = (text: string, committed?: () => void): Part =>
  hot(owner, NOTE, { note: text }, { ...(committed && { committed }) });

async function stored() {
  const seats = await dataSource.query<{ seat: number; guest: string }[]>('SELECT * FROM seats');
  const notes = await dataSource.query<{ note: string }[]>('SELECT note FROM notes ORDER BY note');
  return {
    seats: Object.fromEntries(seats.map(({ seat, guest }) => [seat, guest])),
    notes: notes.map(({ note }) => note),
  };
}

const seat = (number: number) => database.commit(async () => decided(null, sit(number, 'Ada')));

/** Calls what is decided with the number of the attempt, and counts the attempts. */
function attempts<Result>(decide: (attempt: number) => Result) {
  const counted = { made: 0, decide: async () => decide(++counted.made) };
  return counted;
}

test('writes all parts and returns the result', async () => {
  const writes = [sit(1, 'Ada'), note('one'), note('two')];
  expect(await database.commit(async () => decided('seated', ...writes))).toBe('seated');
  expect(await stored()).toEqual({ seats: { 1: 'Ada' }, notes: ['one', 'two'] });
});

test('writes nothing when nothing is decided', async () => {
  expect(await database.commit(async () => decided('as before'))).toBe('as before');
});

test.each([
  ['a constraint says that the decision is stale', 1, sit, { 1: 'Ada', 2: 'Bob' }],
  ['a part changes another number of rows than it must', 2, rename, { 2: 'Bob' }],
])('decides again when %s, in a new transaction if it was made inside of one', async (_, taken, write, seats) => {
  for (const isInside of [false, true]) {
    await dataSource.query('TRUNCATE seats, notes');
    await seat(taken);
    const { decide } = attempts((attempt) => decided(attempt, note(`seat ${attempt}`), write(attempt, 'Bob')));
    expect(await database.commit(isInside ? async () => inTransaction(owner, decide) : decide)).toBe(2);
    expect(await stored()).toEqual({ seats, notes: ['seat 2'] });
  }
});

test.each([
  ['a constraint', () => sit(1, 'Bob')],
  ['a number of rows', () => rename(2, 'Bob')],
])('refuses with service_unavailable when the decision is stale five times by %s', async (_, stale) => {
  await seat(1);
  const counted = attempts(() => decided(null, note('never'), stale()));
  const refusal = { code: 'service_unavailable', kind: 'unavailable' };
  await expect(database.commit(counted.decide)).rejects.toMatchObject(refusal);
  expect(counted.made).toBe(5);
  expect(await stored()).toEqual({ seats: { 1: 'Ada' }, notes: [] });
});

test.each([
  ['one statement', [sit(1, 'Ada'), note('never'), sit(2, null)]],
  ['a transaction that counts rows', [rename(3, 'Bob'), note('never'), sit(2, null)]],
])(
  'writes all or nothing, once, when a constraint refuses that says nothing about staleness: %s',
  async (_, writes) => {
    await seat(3);
    const counted = attempts(() => decided(null, ...writes));
    await expect(database.commit(counted.decide)).rejects.toMatchObject({ code: '23502' });
    expect(counted.made).toBe(1);
    expect(await stored()).toEqual({ seats: { 3: 'Ada' }, notes: [] });
  },
);

test('what a transaction has written before a decision fails is undone', async () => {
  const decide = async () => {
    await database.query(...composed([sit(1, 'Ada')]));
    throw new Error('No.');
  };
  await expect(database.commit(async () => inTransaction(owner, decide))).rejects.toThrow('No.');
  expect(await stored()).toEqual({ seats: {}, notes: [] });
});

test('a transaction in which a statement has failed is no commit, though nobody was told', async () => {
  const committed: string[] = [];
  const decide = async () => {
    await database.query(...composed([sit(1, 'Ada')]));
    await database.query(...composed([sit(2, null)])).catch(() => undefined);
    return decided('seated');
  };
  const work = database.commit(async () => inTransaction(owner, decide)).then((result) => committed.push(result));
  await expect(work).rejects.toThrow('The transaction failed before its commit.');
  expect([committed, await stored()]).toEqual([[], { seats: {}, notes: [] }]);
});

test('reports a commit once, and only a commit', async () => {
  const committed: string[] = [];
  await seat(1);
  const { decide } = attempts((attempt) => {
    const reported = note('reported', () => committed.push(`seat ${attempt}`));
    return decided(attempt, reported, sit(attempt, 'Bob'));
  });
  await database.commit(decide);
  expect(committed).toEqual(['seat 2']);
});

test('a write outside of a unit of work fails', async () => {
  await expect(database.query(...composed([note('never')]))).rejects.toThrow('A write outside of a unit of work');
  expect(await stored()).toEqual({ seats: {}, notes: [] });
});
