/**
 * `npm run fuzz -- --requests 200000 --seed N`: many requests, then all sequences. `--seed N --number M` sends the one request
 * that was reported, and `--seed N --sequence M` plays the one sequence.
 */
import { parseArgs } from 'node:util';
import { openBenchDatabase } from '../../bench/servers.js';
import { migrate } from '../../src/operator/migrate/migrate.js';
import { createDatabase } from '../support/postgres.js';
import { fuzz } from './fuzz.js';
import { playSequences } from './sequences.js';

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: { requests: { ...text, default: '20000' }, seed: text, number: text, sequence: text },
});
const given = (value: string | undefined) => (value === undefined ? undefined : Number(value));
const seed = given(values.seed) ?? Math.floor(Math.random() * 2 ** 31);
const [number, sequence] = [given(values.number), given(values.sequence)];

const database = await openBenchDatabase();
try {
  process.env.TEST_POSTGRES_URL = database.url;
  const template = await createDatabase({ empty: true });
  await migrate(template.url);
  process.env.TEST_TEMPLATE = new URL(template.url).pathname.slice(1);
  const requests = Number(values.requests);
  if (sequence === undefined) await report(fuzz({ databaseUrl: database.url, seed, requests, number }));
  if (number === undefined) await report(playSequences({ seed, number: sequence }));
} finally {
  await database.close();
}

async function report(run: Promise<{ readonly faults: readonly string[] }>): Promise<void> {
  const startedAt = performance.now();
  const { faults, ...figures } = await run;
  console.log(JSON.stringify({ seed, seconds: Math.round((performance.now() - startedAt) / 1000), ...figures }));
  for (const fault of faults) console.log(fault);
  if (faults.length > 0) process.exitCode = 1;
}
