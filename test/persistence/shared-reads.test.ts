/** Reads that go to PostgreSQL together get what each of them would get alone. */
import { beforeAll, expect, test } from '@jest/globals';
import { Database } from '../../src/persistence/database.js';
import { Units } from '../../src/persistence/units.js';
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

test('a hundred clients of four organizations at once read their own sessions', async () => {
  const tenants = await atOnce(4, () => createTenant(service));
  const create = ({ test: key }: Tenant, number: number) =>
    post(`${service.url}/v1/checkout_sessions`, {
      key,
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
