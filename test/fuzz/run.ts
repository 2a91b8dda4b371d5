/**
 * `npm run task -- fuzz --requests 200000 --seed N` sends many requests. `--seed N --number M`
 * sends the one request that was reported.
 */
import { parseArgs } from 'node:util';
import { openBenchDatabase } from '../../bench/servers.js';
import { fuzz } from './fuzz.js';

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: { requests: { ...text, default: '20000' }, seed: text, number: text },
});
const given = (value: string | undefined) => (value === undefined ? undefined : Number(value));
const seed = given(values.seed) ?? Math.floor(Math.random() * 2 ** 31);

const database = await openBenchDatabase();
try {
  const startedAt = performance.now();
  const asked = { requests: Number(values.requests), number: given(values.number) };
  const { faults, ...figures } = await fuzz({ databaseUrl: database.url, seed, ...asked });
  console.log(
    JSON.stringify({
      seed,
      seconds: Math.round((performance.now() - startedAt) / 1000),
      ...figures,
    }),
  );
  for (const fault of faults) console.log(fault);
  if (faults.length > 0) process.exitCode = 1;
} finally {
  await database.close();
}
