/** Reads that go to PostgreSQL together get what each of them would get alone. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { beforeAll, expect, test } from '@jest/globals';
import { Database } from '../../src/persistence/database.js';
import { findById, STATEMENTS } from '../../src/persistence/statement.js';
import { Units } from '../../src/persistence/units.js';
import { FIRST_UUID, LAST_UUID } from '../../src/shared/id.js';
import { useService } from '../kit/setup.js';
import { atOnce, get, post, type Reply, SMALLEST } from '../support/client.js';
import { createTenant, type Tenant } from '../support/tenants.js';

const queue = { queue: 'test' };

const service = useService();
let database: Database;

beforeAll(async () => {
  database = service.application.get(Database);
});

test.each([
  ['that PostgreSQL refuses', { name: 'shares', text: 'SELECT 60 / $1::int AS share' }, 0, '22012'],
  [
    'that cannot be sent',
    { name: 'quotients', text: 'SELECT (60 / $1::int) AS share' },
    { unsendable: 1n },
    undefined,
  ],
])('a read %s fails alone', async (_, statement, faulty, code) => {
  const reads = [1, 2, faulty, 3].map((value) =>
    database.read<{ share: number }>(queue, statement, [value]),
  );
  const outcomes = (await Promise.allSettled(reads)).map((each) =>
    each.status === 'fulfilled' ? each.value : { code: each.reason.code },
  );
  expect(outcomes).toEqual([[{ share: 60 }], [{ share: 30 }], { code }, [{ share: 20 }]]);
});

/**
 * Together they take longer than a connection may owe an answer, and each takes less than a
 * statement may.
 */
test('slow reads that went together are answered, and their connection is not taken for dead', async () => {
  const sleep = { name: 'sleep', text: 'SELECT pg_sleep(3)' };
  expect(await Promise.all([1, 2, 3].map(() => database.read(queue, sleep, [])))).toHaveLength(3);
});

interface Key {
  readonly owner: string;
  readonly id: string;
}

/** Each of two owners has both rows. Row 1 cannot be read beside the owner `faulty`. */
const ROW = findById<Key>(
  'rows_by_id',
  ({
    owner,
    id,
  }) => `SELECT id, 1 / (${owner}::text <> 'faulty')::int AS one, ${owner}::text AS owner
    FROM (VALUES ('${FIRST_UUID}'::uuid), ('${LAST_UUID}'::uuid)) AS row (id) WHERE id = ${id}`,
);
const find = (owner: string, id: string) =>
  database.read<Key>(queue, ...ROW.of({ owner, id })).then(
    (rows) => rows.map((row) => [row.owner, row.id.replaceAll('-', '')]),
    ({ code }) => code,
  );
const MISSING = FIRST_UUID.replace(/0$/, '1');

async function sentBy(work: () => Promise<unknown>): Promise<unknown[]> {
  const sent: unknown[] = [];
  const note = (message: unknown) => {
    const { statement, runs } = message as { statement: string; runs: number };
    if (statement.startsWith(ROW.name)) sent.push([statement, runs]);
  };
  subscribe(STATEMENTS, note);
  await work().finally(() => unsubscribe(STATEMENTS, note));
  return sent;
}

test('reads by ID share a run with those of the same owner, and each gets its own row', async () => {
  const sent = await sentBy(async () => {
    const found = [
      find('a', FIRST_UUID),
      find('b', FIRST_UUID),
      find('a', LAST_UUID),
      find('a', MISSING),
      find('a', FIRST_UUID),
    ];
    expect(await Promise.all(found)).toEqual([
      [['a', FIRST_UUID]],
      [['b', FIRST_UUID]],
      [['a', LAST_UUID]],
      [],
      [['a', FIRST_UUID]],
    ]);
  });
  expect(sent).toEqual([['rows_by_id_many', 2]]);
});

test('reads by ID of other owners have runs of their own', async () => {
  const sent = await sentBy(async () => {
    const found = ['a', 'b'].map((owner) => find(owner, LAST_UUID));
    expect(await Promise.all(found)).toEqual([[['a', LAST_UUID]], [['b', LAST_UUID]]]);
  });
  expect(sent).toEqual([['rows_by_id', 2]]);
});

test('a read by ID that PostgreSQL refuses fails alone', async () => {
  const found = ['not an ID', FIRST_UUID, LAST_UUID].map((id) => find('a', id));
  const faulty = [find('faulty', FIRST_UUID), find('faulty', MISSING)];
  expect(await Promise.all([...found, ...faulty])).toEqual([
    '22P02',
    [['a', FIRST_UUID]],
    [['a', LAST_UUID]],
    '22012',
    [],
  ]);
});

test('a read within a transaction is part of it', async () => {
  const set = { name: 'set', text: `SELECT set_config('tillgate.test', 'set', true)` };
  const seen = {
    name: 'seen',
    text: `SELECT current_setting('tillgate.test', true) = 'set' AS seen`,
  };
  const inside = await service.application.get(Units).commit(queue, async (unit) => {
    await database.query(unit, set, []);
    return Promise.all([database.read(unit, seen, []), database.read(unit, seen, [])]);
  });
  expect(inside).toEqual([[{ seen: true }], [{ seen: true }]]);
});

test('a hundred clients of four organizations at once read their own sessions in both modes', async () => {
  const tenants = await atOnce(4, () => createTenant(service));
  const create = ({ test, live }: Tenant, number: number) =>
    post(`${service.url}/v1/checkout_sessions`, {
      key: number % 8 < 4 ? test : live,
      body: { ...SMALLEST, metadata: { number: `${number}` } },
    });
  const owned = await atOnce(100, async (index) => {
    const tenant = tenants[index % 4] as Tenant;
    return { tenant, created: await create(tenant, index) };
  });
  const read = ({ test: key }: Tenant, { body }: Reply) =>
    get(`${service.url}/v1/checkout_sessions/${body.id}`, { key });
  const own = await Promise.all(owned.map(({ tenant, created }) => read(tenant, created)));
  expect(own.map(({ body }) => body)).toEqual(owned.map(({ created }) => created.body));
  const others = await Promise.all(
    owned.map(({ created }, index) => read(tenants[(index + 1) % 4] as Tenant, created)),
  );
  expect(others.map(({ status }) => status)).toEqual(Array(100).fill(404));
});
