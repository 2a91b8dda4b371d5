/** Autovacuum is off for the tables, because it would analyze them too, some minutes later. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDataSource } from '../../src/persistence/data-source.js';
import { Database } from '../../src/persistence/database.js';
import { FirstStatistics } from '../../src/persistence/first-statistics.js';
import { Jobs } from '../../src/platform/jobs.js';
import { createDatabase } from '../support/postgres.js';

let database: Database;
let query: (sql: string) => Promise<{ relname: string }[]>;
let close: () => Promise<void>;

beforeAll(async () => {
  const { url, drop } = await createDatabase({ empty: true });
  const dataSource = await createDataSource({ url, poolSize: 2, records: [], timeLimits: true }).initialize();
  database = new Database(dataSource);
  query = (sql) => dataSource.query(sql);
  close = () => dataSource.destroy().then(drop);
});

afterAll(() => close());

test('a table gets its first statistics when it has grown, and none while it is small', async () => {
  for (const [name, rows] of Object.entries({ empty: 0, small: 100, grown: 10_000 })) {
    await query(`CREATE TABLE ${name} (number integer) WITH (autovacuum_enabled = false)`);
    await query(`INSERT INTO ${name} SELECT generate_series(1, ${rows})`);
  }
  const statistics = new FirstStatistics(database, new Jobs());
  const analyzed = async () => {
    await statistics.analyze();
    return (await query('SELECT relname FROM pg_stat_user_tables WHERE analyze_count > 0 ORDER BY 1')).map(
      ({ relname }) => relname,
    );
  };
  expect(await analyzed()).toEqual(['grown']);
  await query('INSERT INTO small SELECT generate_series(1, 10000)');
  expect(await analyzed()).toEqual(['grown', 'small']);
});
