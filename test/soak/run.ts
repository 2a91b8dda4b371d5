/**
 * `npm run task -- soak --minutes N --seed S` causes faults under load for so long, and then
 * checks. It exits with 1 if a promise was broken.
 */
import { parseArgs } from 'node:util';
import { onStopSignal } from '../../src/operator/process/stop-signals.js';
import { soak } from './soak.js';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '5' }, seed: { type: 'string' } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const startedAt = performance.now();
const print = (line: string) =>
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(7)} s  ${line}`);

const stop = new AbortController();
onStopSignal(() => stop.abort());
const report = await soak({
  seconds: Number(values.minutes) * 60,
  seed,
  stop: stop.signal,
  report: print,
});
console.log(JSON.stringify(report, null, 2));
process.exitCode = report.violations.length === 0 ? 0 : 1;
