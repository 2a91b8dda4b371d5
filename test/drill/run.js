/**
 * `npm run drills -- [part of a name] --seeds 3`: the drill of each broken worker, which must be found, and of each that is right.
 * Several run side by side, each on a Tillgate of its own, which the next one takes over. Prints a line of JSON for each.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { drill } from '../../dist/drill/drill.js';
import { openAccounts, openStage } from '../../dist/drill/stage.js';
import { BROKEN } from './workers.js';

const text = { type: 'string' };
const options = { seeds: text, refunds: text, lanes: text, right: { type: 'boolean' } };
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const { seeds = '3', refunds = '40', lanes = '4', right = false } = values;

const scratch = mkdtempSync(join(tmpdir(), 'tillgate-drills-'));
const WORKERS = join(import.meta.dirname, 'workers.js');
const own = (name, options = {}) => ({ name, command: [process.execPath, WORKERS, name], ...options });
const RIGHT = [
  { name: 'guide', command: [process.execPath, workerOfTheGuide()] },
  own('right'),
  own('polls'),
  own('repeats'),
  own('ends', { restart: true }),
  { name: 'python', command: ['python3', 'examples/python/worker.py'] },
  { name: 'shell', command: ['bash', join(import.meta.dirname, 'worker.sh')] },
];
const FOUND = Object.entries(BROKEN).map(([name, [rule]]) => own(name, { rule }));

const runs = (right ? RIGHT : FOUND)
  .filter(({ name }) => positionals.every((part) => name.includes(part)))
  .flatMap((worker) => Array.from({ length: Number(seeds) }, (_, seed) => ({ ...worker, seed: seed + 1 })));

let failures = 0;
const queue = runs.values();
await Promise.all(Array.from({ length: Number(lanes) }, lane));
rmSync(scratch, { recursive: true });
process.exitCode = failures > 0 ? 1 : 0;

async function lane(_, place) {
  let stage = await openStage();
  try {
    for (const run of queue) {
      stage = { ...stage, ...(await openAccounts(stage.databaseUrl)) };
      await played(stage, run, join(scratch, `notes-${place}`));
      await clear(stage);
    }
  } finally {
    await stage.close();
  }
}

async function played(stage, { name, seed, rule, command, restart = false }, notes) {
  const stop = new AbortController().signal;
  const isBroken = rule !== undefined;
  const plan = { seed, refunds: Number(refunds), seconds: 60, restart, bail: isBroken };
  const startedAt = performance.now();
  const environment = ['env', `NOTES=${notes}`];
  const report = await drill(stage, { ...plan, command: [...environment, ...command], say: () => undefined, stop });
  rmSync(notes, { force: true });
  const found = report.broken.map((one) => one.rule);
  const isFound = isBroken ? found.includes(rule) : report.passed;
  if (!isFound) failures += 1;
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(
    JSON.stringify({ ok: isFound, name, seed, rule, found, stopped: report.stopped, unmet: report.unmet, seconds }),
  );
  if (!isFound) for (const line of report.broken.flatMap(({ history }) => [...history, ''])) console.error(line);
}

/** With the kit as it was built here. */
function workerOfTheGuide() {
  const [, code = ''] = /^```js\n(.*?)^```$/ms.exec(readFileSync('docs/guides/connect-your-ledger.md', 'utf8')) ?? [];
  const kit = pathToFileURL(resolve('dist/client/src/ledger/index.js')).href;
  const file = join(scratch, 'worker.mjs');
  writeFileSync(file, code.replace('tillgate-client/ledger', kit));
  return file;
}

/** Nobody is given what the worker before has left. */
async function clear({ url, ledgerKey }) {
  const headers = { authorization: `Bearer ${ledgerKey}`, 'content-type': 'application/json' };
  const { data } = await (await fetch(`${url}/ledger/v1/refunds?limit=100`, { headers })).json();
  for (const { id } of data)
    await fetch(`${url}/ledger/v1/refunds/${id}/succeed`, { method: 'POST', headers, body: '{}' });
}
