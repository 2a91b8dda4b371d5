/** `npm run fuzz -- --requests 200000 --seed N`: many requests. `--seed N --number M` sends the one that was reported. */
import { parseArgs } from 'node:util';
import { openBenchDatabase } from '../../bench/servers.js';
import { fuzz } from './fuzz.js';

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '20000' }, seed: { type: 'string' }, number: { type: 'string' } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const number = values.number === undefined ? undefined : Number(values.number);

const database = await openBenchDatabase();
try {
  const startedAt = performance.now();
  const report = await fuzz({ databaseUrl: database.url, seed, requests: Number(values.requests), number });
  const { faults, ...figures } = report;
  console.log(JSON.stringify({ seed, seconds: Math.round((performance.now() - startedAt) / 1000), ...figures }));
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await database.close();
}
