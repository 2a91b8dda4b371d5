/**
 * A prepared statement that Tillgate runs has the results of pg's own query on the same connection.
 */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Client, type Connection } from 'pg';
import { sent, type Values } from '../../src/persistence/batch/prepared-query.js';
import { serverUrl } from '../support/postgres.js';

const ADD = { name: 'add', text: 'INSERT INTO notes VALUES ($1, $2) RETURNING id, note' };
const DUPLICATE = { code: '23505', constraint: 'notes_pkey', statement: 'add' };

let client: Client;
/** These are the counts of PostgreSQL's answers to preparing a statement, and to describing one. */
let messages: { parseComplete: number; rowDescription: number };

beforeEach(async () => {
  client = new Client({ connectionString: serverUrl() });
  await client.connect();
  await client.query(
    `CREATE TEMPORARY TABLE notes (id int PRIMARY KEY, note text); INSERT INTO notes VALUES (1, 'one')`,
  );
  messages = { parseComplete: 0, rowDescription: 0 };
  const { connection } = client as unknown as { connection: Connection };
  for (const name of ['parseComplete', 'rowDescription'] as const)
    connection.on(name, () => (messages[name] += 1));
});

afterEach(() => client.end());

const runAll = (name: string, text: string, runs: readonly Values[]) =>
  sent(client, { name, text }, runs);

async function run(name: string, text: string, values: Values = []) {
  const [outcome] = await runAll(name, text, [values]);
  return outcome;
}

const add = (id: unknown, note: unknown) => run(ADD.name, ADD.text, [id, note]);

test('values and columns of every type are read as pg reads them', async () => {
  const text = `SELECT $1::text AS text, $2::int AS int, $3::json AS json, $4::bytea AS bytea, $5::boolean AS boolean,
    $6::timestamptz AS time, $7::text[] AS texts, $8::text AS nothing, 2.5::numeric AS numeric`;
  const values = [
    'é😀',
    -7,
    '{"a":[1]}',
    Buffer.from([0, 255]),
    true,
    new Date(0),
    ['a', '"', null],
    null,
  ];
  const { rows } = await client.query(text, values);
  messages.rowDescription = 0;
  for (const _ of ['described', 'remembered'])
    expect(await run('types', text, values)).toEqual({ rows, rowCount: 1 });
  expect(rows).toEqual([
    expect.objectContaining({ text: 'é😀', int: -7, json: { a: [1] }, nothing: null }),
  ]);
  expect(messages.rowDescription).toBe(1);
});

test('each statement is prepared and described once for each connection, even between other statements', async () => {
  const numbers = 'SELECT n FROM generate_series(1, $1::int) AS n';
  expect(await run('numbers', numbers, [2])).toEqual({ rows: [{ n: 1 }, { n: 2 }], rowCount: 2 });
  expect(await run('letter', `SELECT 'a' AS letter`)).toEqual({
    rows: [{ letter: 'a' }],
    rowCount: 1,
  });
  expect(await run('numbers', numbers, [0])).toEqual({ rows: [], rowCount: 0 });
  expect(await run('numbers', numbers, [1])).toEqual({ rows: [{ n: 1 }], rowCount: 1 });
  expect(messages).toEqual({ parseComplete: 2, rowDescription: 2 });
});

test('several runs are one transaction, and each run returns its own rows', async () => {
  const text = 'SELECT n, now()::text AS at FROM generate_series(1, $1::int) AS n';
  for (const _ of ['described', 'remembered']) {
    const [two, none, one] = await runAll('series', text, [[2], [0], [1]]);
    const at = two?.rows[0]?.at;
    const counted = (count: number) => ({
      rows: [1, 2].slice(0, count).map((n) => ({ n, at })),
      rowCount: count,
    });
    expect([two, none, one]).toEqual([counted(2), counted(0), counted(1)]);
  }
  expect(messages).toEqual({ parseComplete: 1, rowDescription: 1 });
});

test('no run of several has an effect if one of them is refused', async () => {
  const runs = [2, 1, 3].map((id) => [id, 'again']);
  await expect(runAll(ADD.name, ADD.text, runs)).rejects.toMatchObject(DUPLICATE);
  expect(await add(2, 'again')).toEqual({ rows: [{ id: 2, note: 'again' }], rowCount: 1 });
  expect((await client.query('SELECT id FROM notes ORDER BY id')).rows).toEqual([
    { id: 1 },
    { id: 2 },
  ]);
});

test('a write that returns no rows returns how many rows it changed', async () => {
  const rename = () => run('rename', `UPDATE notes SET note = 'none' WHERE id <= $1`, [5]);
  expect([await rename(), await rename()]).toEqual(Array(2).fill({ rows: [], rowCount: 1 }));
  expect(messages).toEqual({ parseComplete: 1, rowDescription: 0 });
});

test.each([
  ['by a constraint', 1, DUPLICATE],
  ['for an invalid value', 'x', { code: '22P02', statement: 'add' }],
])('a statement whose first run is refused %s works in its next run', async (_, id, refusal) => {
  await expect(add(id, 'one')).rejects.toMatchObject(refusal);
  for (const id of [2, 3])
    expect(await add(id, 'two')).toEqual({ rows: [{ id, note: 'two' }], rowCount: 1 });
  await expect(add(2, 'two')).rejects.toMatchObject(DUPLICATE);
  expect(messages.parseComplete).toBe(1);
});

test('a faulty statement is an error each time, and the connection goes on', async () => {
  for (const _ of [1, 2])
    await expect(run('faulty', 'SELEC 1')).rejects.toMatchObject({ code: '42601' });
  expect(await add(2, null)).toEqual({ rows: [{ id: 2, note: null }], rowCount: 1 });
});

test('a value that cannot be sent is an error, and the connection goes on', async () => {
  await expect(add(2, { unsendable: 1n })).rejects.toThrow('BigInt');
  expect(await add(2, 'two')).toMatchObject({ rowCount: 1 });
});

test('one name for two statements is an error, and the connection goes on', async () => {
  await add(2, 'two');
  await expect(run('add', 'SELECT 1')).rejects.toThrow('Two statements are named add.');
  expect(await add(3, 'three')).toMatchObject({ rowCount: 1 });
});

test('a statement whose columns have changed is refused, and never misread', async () => {
  const all = () => run('all', 'SELECT * FROM notes');
  await all();
  await client.query('ALTER TABLE notes ADD COLUMN at int');
  await expect(all()).rejects.toMatchObject({ message: 'cached plan must not change result type' });
});
