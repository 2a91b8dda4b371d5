/**
 * `node test/drill/run.js [--each-rule] [part of a name]` runs the drill of each broken worker,
 * which must be found by its rule, and of the right workers, which must pass. `--each-rule` plays
 * only the first broken worker of each rule. Some drills run side by side, each on a Tillgate that
 * the next one takes over. It prints a line of JSON for each drill, and the histories of those that
 * went wrong.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drill } from '../../dist/drill/drill.js';
import { openAccounts, openStage } from '../../dist/drill/stage.js';
import { Progress } from '../../dist/src/platform/progress.js';
import { BROKEN } from './workers.js';

const {
  values: { 'each-rule': isEachRule },
  positionals: [part = ''],
} = parseArgs({ options: { 'each-rule': { type: 'boolean' } }, allowPositionals: true });
const LANES = 5;
/** A drill takes far less than this. The limit ends a drill that hangs. */
const LIMIT_MS = 400_000;

const scratch = mkdtempSync(join(tmpdir(), 'tillgate-drills-'));
const WORKERS = join(import.meta.dirname, 'workers.js');
const own = (name, more) => ({ name, command: [process.execPath, WORKERS, name], ...more });
const RIGHT = [
  { name: 'shell', command: ['bash', join(import.meta.dirname, 'worker.sh')] },
  own('polls'),
  own('ends', { restart: true }),
];
const FOUND = Object.entries(BROKEN).map(([name, [rule]]) => own(name, { rule }));
const ofEachRule = [...Map.groupBy(FOUND, ({ rule }) => rule).values()].map(([first]) => first);
const broken = isEachRule ? ofEachRule : FOUND;

/** The drills that take longest begin. */
const runs = [...RIGHT, ...broken.toReversed()].filter(({ name }) => name.includes(part));
const queue = runs.values();
const lanes = Array.from({ length: Math.min(LANES, runs.length) }, lane);
// A drill that hangs ends its lane. The other lanes go on, so that each ends its own processes.
const failed = (await Promise.allSettled(lanes)).filter(({ status }) => status === 'rejected');
rmSync(scratch, { recursive: true });
for (const { reason } of failed) console.error(reason);
if (failed.length > 0) process.exitCode = 1;

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

async function play(stage, { name, rule, command, restart = false }, notes) {
  const startedAt = performance.now();
  const { broken, passed } = await drill(stage, {
    ...{ seed: 1, restart, refunds: 40, seconds: 60, patience: 12 },
    bail: (broken) => (rule === undefined ? broken.length > 0 : broken.includes(rule)),
    command: ['env', `NOTES=${notes}`, ...command],
    progress: new Progress({ write: () => undefined }),
    stop: AbortSignal.timeout(LIMIT_MS),
  }).catch((cause) => {
    throw new Error(`The drill of "${name}" ended with an error.`, { cause });
  });
  rmSync(notes, { force: true });
  const rules = broken.map((one) => one.rule);
  const isRight = rule === undefined ? passed : rules.includes(rule);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(JSON.stringify({ isRight, name, rule, rules, seconds }));
  if (isRight) return;
  process.exitCode = 1;
  for (const { history } of broken) console.error(history.join('\n'));
}

/** The next worker must not get refunds that this one has left. */
async function settleAll({ url, ledgerKey }) {
  const headers = { authorization: `Bearer ${ledgerKey}`, 'content-type': 'application/json' };
  const ask = async (path, init) =>
    (await fetch(`${url}/ledger/v1/refunds${path}`, { ...init, headers })).json();
  const { data } = await ask('?limit=100');
  for (const { id } of data) await ask(`/${id}/succeed`, { method: 'POST', body: '{}' });
  if (data.length > 0) await settleAll({ url, ledgerKey });
}
