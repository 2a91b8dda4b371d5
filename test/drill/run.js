/**
 * `npm run drills -- [--right] [--seeds 3] [--refunds 40] [--lanes 4] [part of a name]`: the drill of each broken worker, which must be
 * found by its rule, or with --right of those that are right, which must pass. Some run side by side, each on a Tillgate that the
 * next one takes over. Prints a line of JSON for each, and the histories of those that went wrong.
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
const { values, positionals } = parseArgs({
  options: { right: { type: 'boolean' }, seeds: text, refunds: text, lanes: text },
  allowPositionals: true,
});
const { right = false, seeds = '3', refunds = '40', lanes = '4' } = values;
/** Far more than a drill takes: it ends what hangs. */
const LIMIT_MS = 400_000;

const scratch = mkdtempSync(join(tmpdir(), 'tillgate-drills-'));
const WORKERS = join(import.meta.dirname, 'workers.js');
const own = (name, more) => ({ name, command: [process.execPath, WORKERS, name], ...more });
const RIGHT = [
  { name: 'the worker of the guide, with the kit', command: [process.execPath, workerOfTheGuide()] },
  { name: 'Python', command: ['python3', 'examples/python/worker.py'] },
  { name: 'shell', command: ['bash', join(import.meta.dirname, 'worker.sh')] },
  own('polls'),
  own('right'),
  own('repeats'),
  own('ends', { restart: true }),
];
/** The last ones take longest, so they begin. */
const FOUND = Object.entries(BROKEN)
  .toReversed()
  .map(([name, [rule]]) => own(name, { rule }));

const runs = (right ? RIGHT : FOUND)
  .filter(({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)))
  .flatMap((worker) => Array.from({ length: Number(seeds) }, (_, place) => ({ ...worker, seed: place + 1 })));
const queue = runs.values();
await Promise.all(Array.from({ length: Math.min(Number(lanes), runs.length) }, lane));
rmSync(scratch, { recursive: true });

async function lane(_, place) {
  const stage = await openStage();
  try {
    const accounts = await openAccounts(stage.databaseUrl, runs.length);
    for (const run of queue) {
      await play({ ...stage, ...accounts.pop() }, run, join(scratch, `notes-${place}`));
      await settleAll(stage);
    }
  } finally {
    await stage.close();
  }
}

async function play(stage, { name, seed, rule, command, restart = false }, notes) {
  const startedAt = performance.now();
  const { broken, unmet } = await drill(stage, {
    ...{ seed, restart, refunds: Number(refunds), seconds: 60, bail: rule !== undefined },
    command: ['env', `NOTES=${notes}`, ...command],
    say: () => undefined,
    stop: AbortSignal.timeout(LIMIT_MS),
  });
  rmSync(notes, { force: true });
  const rules = broken.map((one) => one.rule);
  const isRight = rule === undefined ? rules.length === 0 : rules.includes(rule);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(JSON.stringify({ isRight, name, seed, rules, unmet: right ? unmet : undefined, seconds }));
  if (isRight) return;
  process.exitCode = 1;
  for (const { history } of broken) console.error(history.join('\n'));
}

/** The next worker is given nothing of what this one has left. */
async function settleAll({ url, ledgerKey }) {
  const headers = { authorization: `Bearer ${ledgerKey}`, 'content-type': 'application/json' };
  const ask = async (path, init) => (await fetch(`${url}/ledger/v1/refunds${path}`, { ...init, headers })).json();
  const { data } = await ask('?limit=100');
  for (const { id } of data) await ask(`/${id}/succeed`, { method: 'POST', body: '{}' });
  if (data.length > 0) await settleAll({ url, ledgerKey });
}

/** With the kit as it was built here. */
function workerOfTheGuide() {
  const [, code = ''] = /^```js\n(.*?)^```$/ms.exec(readFileSync('docs/guides/connect-your-ledger.md', 'utf8')) ?? [];
  const kit = pathToFileURL(resolve('dist/client/src/ledger/index.js')).href;
  const file = join(scratch, 'worker.mjs');
  writeFileSync(file, code.replace('tillgate-client/ledger', kit));
  return file;
}
