/**
 * On a real PostgreSQL, these tests say which writes go together, when they go, and which write
 * gets which outcome.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { BatchWriter } from '../../src/persistence/batch/batch-writer.js';
import { insertInto } from '../../src/persistence/batch/batched-write.js';
import { Database } from '../../src/persistence/database.js';
import type { Work } from '../../src/shared/unit.js';
import { ALICE, ALL, ALONE, BOB, NOTE, NoteRecord, note, useNotes } from '../support/notes.js';
import { until } from '../support/processes.js';
import { unitsOf } from '../support/units.js';

const notes = useNotes();

test('a write that comes alone is sent as its usual statement', async () => {
  await notes.add('one');
  expect(notes.sent()).toEqual([{ name: ALONE, notes: ['one'] }]);
  expect(await notes.stored()).toEqual(['one']);
});

test('writes of one turn are sent as one statement, whoever owns them', async () => {
  await Promise.all([...notes.many(2), ...notes.many(2, BOB)]);
  expect(notes.sent()).toEqual([{ name: ALL, notes: ['alice0', 'bob0', 'alice1', 'bob1'] }]);
  expect(await notes.stored()).toEqual(['alice0', 'alice1', 'bob0', 'bob1']);
});

test('units that add rows of the same kinds in another order are sent as one statement', async () => {
  const ANOTHER = insertInto('another_note', NoteRecord);
  const filled = [
    [NOTE, ANOTHER],
    [ANOTHER, NOTE],
  ].map((writes, at) =>
    notes.units.commit(ALICE, async (unit) => {
      for (const write of writes)
        notes.database.batched(unit, write, { note: `${write.name}${at}`, more: '' });
    }),
  );
  await Promise.all(filled);
  expect(notes.sent().map(({ name }) => name)).toEqual(['limited another_note* new_note*']);
});

test('an owner with many writes leaves the other owners their places in a statement', async () => {
  await Promise.all([...notes.many(50), ...notes.many(3, BOB)]);
  expect(notes.sent()[0]?.notes).toHaveLength(16);
  expect(notes.sent()[0]?.notes.filter((text) => text.startsWith('bob'))).toEqual([
    'bob0',
    'bob1',
    'bob2',
  ]);
  expect(await notes.stored()).toHaveLength(53);
});

test('a statement has at most 16 rows and 256 KiB', async () => {
  await Promise.all([
    ...notes.many(17),
    ...['x', 'y', 'z'].map((text) => notes.add(text, BOB, '€'.repeat(40 * 1024))),
  ]);
  expect(
    notes.sent().map(({ notes }) => notes.filter((text) => /^[xyz]$/.test(text)).length),
  ).toEqual([2, 1]);
  expect(await notes.stored()).toHaveLength(20);
});

test('a refused row fails alone', async () => {
  const writes = await Promise.allSettled([
    notes.add('one'),
    notes.add('refused'),
    notes.add('two'),
    notes.add('two'),
    notes.add('three'),
  ]);
  const failed = writes.flatMap((write) =>
    write.status === 'rejected' ? [write.reason.constraint] : [],
  );
  expect(failed.toSorted()).toEqual(['notes_note_check', 'notes_pkey']);
  expect(await notes.stored()).toEqual(['one', 'three', 'two']);
});

test('a row that waits for a lock delays no other row, neither of its statement nor later', async () => {
  await notes.outsider.query(`BEGIN; INSERT INTO notes VALUES ('held')`);
  const held = notes.add('held').catch(({ code }) => code);
  const others = Promise.all([...notes.many(3), notes.add('later')]);
  // PostgreSQL would wait for 20 seconds, and the whole statement with it.
  const late = sleep(10_000, 'nobody', { ref: false });
  expect(await Promise.race([held, others.then(() => 'others'), late])).toBe('others');
  await notes.outsider.query('ROLLBACK');
  expect(await held).toBe(null);
  expect(await notes.stored()).toEqual(['alice0', 'alice1', 'alice2', 'held', 'later']);
});

test('no caller gets the error of a deadlock', async () => {
  await notes.outsider.query(`BEGIN; INSERT INTO notes VALUES ('second')`);
  const writes = Promise.allSettled([notes.add('first'), notes.add('second'), notes.add('third')]);
  await until(() => notes.sent().length > 0);
  // The outsider waits for the statement, which waits for the notes.outsider.
  await notes.outsider.query(`INSERT INTO notes VALUES ('first') ON CONFLICT DO NOTHING; COMMIT`);
  const refused = (await writes).flatMap((one) =>
    one.status === 'rejected' ? [one.reason.code] : [],
  );
  expect(new Set(refused)).toEqual(new Set(['23505']));
  expect(await notes.stored()).toEqual(['first', 'second', 'third']);
});

test('while a write waits for a lock, the next writes are sent together and do not wait for it', async () => {
  await notes.outsider.query(`BEGIN; INSERT INTO notes VALUES ('held')`);
  const held = notes.add('held').catch(({ code }) => code);
  await until(() => notes.sent().length === 1);
  const next = Promise.all([notes.add('one'), notes.add('two')]);
  expect(await Promise.race([held, next.then(() => 'next')])).toBe('next');
  expect(notes.sent()).toEqual([
    { name: ALONE, notes: ['held'] },
    { name: ALL, notes: ['one', 'two'] },
  ]);
  await notes.outsider.query('ROLLBACK');
  await held;
});

test('writes of one kind in a transaction are sent as one statement, without the writes of others', async () => {
  await Promise.all([
    notes.add('alone'),
    notes.units.commit(ALICE, async (unit) => {
      await notes.database.inTransaction(unit, async () => undefined);
      notes.noted(unit, 'one');
      notes.noted(unit, 'two');
    }),
  ]);
  expect(notes.sent().toSorted((one, other) => one.name.localeCompare(other.name))).toEqual([
    { name: ALONE, notes: ['alone'] },
    { name: `${ALONE}*`, notes: ['one', 'two'] },
  ]);
});

test('each write is a statement of its own when the database is distributed', async () => {
  const apart = new Database(notes.dataSource, true);
  const open = unitsOf(apart);
  const written = (unit: Work, text: string) => apart.batched(unit, NOTE, { note: text, more: '' });
  await Promise.all(
    ['one', 'two'].map((text) => open.commit(ALICE, async (unit) => written(unit, text))),
  );
  await open.commit(ALICE, async (unit) => {
    await apart.inTransaction(unit, async () => undefined);
    for (const text of ['three', 'four']) written(unit, text);
  });
  expect(notes.sent().map(({ name }) => name)).toEqual(Array(4).fill(ALONE));
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
