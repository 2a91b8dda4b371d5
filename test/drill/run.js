/**
 * `node test/drill/run.js [part of a name]`: the drill of each broken worker, which must be found by its rule, and of those that
 * are right, which must pass. Some run side by side, each on a Tillgate that the next one takes over. Prints a line of JSON for
 * each, and the histories of those that went wrong.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drill } from '../../dist/drill/drill.js';
import { openAccounts, openStage } from '../../dist/drill/stage.js';
import { BROKEN } from './workers.js';

const [part = ''] = process.argv.slice(2);
const LANES = 7;
/** Far more than a drill takes: it ends what hangs. */
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

/** Those that take longest begin. */
const runs = [...RIGHT, ...FOUND.toReversed()].filter(({ name }) => name.includes(part));
const queue = runs.values();
await Promise.all(Array.from({ length: Math.min(LANES, runs.length) }, lane));
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

async function play(stage, { name, rule, command, restart = false }, notes) {
  const startedAt = performance.now();
  const { broken } = await drill(stage, {
    ...{ seed: 1, restart, refunds: 40, seconds: 60, bail: rule !== undefined },
    command: ['env', `NOTES=${notes}`, ...command],
    say: () => undefined,
    stop: AbortSignal.timeout(LIMIT_MS),
  });
  rmSync(notes, { force: true });
  const rules = broken.map((one) => one.rule);
  const isRight = rule === undefined ? rules.length === 0 : rules.includes(rule);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(JSON.stringify({ isRight, name, rules, seconds }));
  if (isRight) return;
  process.exitCode = 1;
  for (const { history } of broken) console.error(history.join('\n'));
}

/** The next worker is given nothing of what this one has left. */
async function settleAll({ url, ledgerKey }) {
  const headers = { authorization: `Bearer ${ledgerKey}`, 'content-type': 'application/json' };
  const ask = async (path, init) =>
    (await fetch(`${url}/ledger/v1/refunds${path}`, { ...init, headers })).json();
  const { data } = await ask('?limit=100');
  for (const { id } of data) await ask(`/${id}/succeed`, { method: 'POST', body: '{}' });
  if (data.length > 0) await settleAll({ url, ledgerKey });
}
