/** `npm run task -- fuzz --seed <seed> --number <number>` sends the request of a finding again. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { fuzz } from '../fuzz/fuzz.js';
import { createDatabase, withClient } from '../support/postgres.js';

const REQUESTS = 4_000;

/** Every run of this test draws the same requests. `npm run task -- fuzz` draws others. */
const seed = 1_882_256_288;

let database: Awaited<ReturnType<typeof createDatabase>>;

beforeEach(async () => {
  database = await createDatabase();
});

afterEach(() => database.drop());

test(`${REQUESTS} valid, invalid and broken requests cause no fault`, async () => {
  const { faults, statuses } = await fuzz({ databaseUrl: database.url, seed, requests: REQUESTS });
  expect({ seed, faults }).toEqual({ seed, faults: [] });
  // Some requests passed every check: something was created, read, refused for its state and
  // refused for its form.
  expect(Object.keys(statuses)).toEqual(
    expect.arrayContaining(['200', '201', '400', '401', '404', '405', '415', '422']),
  );
});

test('the fuzzer finds a planted defect, and finds it again by its number', async () => {
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
