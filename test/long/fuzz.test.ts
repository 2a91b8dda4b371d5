/** A finding is sent again by `npm run task -- fuzz --seed <seed> --number <number>`. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { fuzz } from '../fuzz/fuzz.js';
import { createDatabase, withClient } from '../support/postgres.js';

const REQUESTS = 4_000;

/** The same for every run: `npm run task -- fuzz` draws others. */
const seed = 1_882_256_288;

let database: Awaited<ReturnType<typeof createDatabase>>;

beforeEach(async () => {
  database = await createDatabase();
});

afterEach(() => database.drop());

test(`${REQUESTS} requests, right, wrong and broken, cause nothing that none may cause`, async () => {
  const { faults, statuses } = await fuzz({ databaseUrl: database.url, seed, requests: REQUESTS });
  expect({ seed, faults }).toEqual({ seed, faults: [] });
  // It got past every gate: something was made, read, refused for its state and refused for its form.
  expect(Object.keys(statuses)).toEqual(
    expect.arrayContaining(['200', '201', '400', '401', '404', '405', '415', '422']),
  );
});

test('finds a planted defect, and finds it again by its number', async () => {
  await withClient(database.url, (sql) =>
    sql.query('ALTER TABLE idempotency_keys ADD CONSTRAINT planted CHECK (status < 400) NOT VALID'),
  );
  const planted = { databaseUrl: database.url, seed, requests: 1_000 };
  const { faults } = await fuzz(planted);
  const [, number] = /^request (\d+): 500 /m.exec(faults.join('\n')) ?? [];
  expect({ seed, faults }).toEqual({
    seed,
    faults: expect.arrayContaining([expect.stringMatching(/^the log has .*planted/)]),
  });
  const again = await fuzz({ ...planted, number: Number(number) });
  expect(again.faults[0]).toMatch(new RegExp(`^request ${number}: 500 `));
});
