/**
 * A worker of the ledger as a process of its own: it claims refunds, has the provider pay them out under their ids, and
 * reports what came of it. `node payout-worker.js <signal> <step>`: the first time it comes to that step, it sends itself the signal.
 */
import { setTimeout as sleep } from 'node:timers/promises';

const [signal, at] = process.argv.slice(2);
const { URLS = '', LEDGER_KEY, ORGANIZATION, PROVIDER } = process.env;
const urls = URLS.split(' ');
const PAUSE_MS = 20;
let isSent = false;

async function reach(step) {
  if (step !== at || isSent) return;
  isSent = true;
  process.stdout.write(`at ${step}\n`);
  process.kill(process.pid, signal);
  // A signal to oneself takes a moment.
  await sleep(PAUSE_MS);
}

/** From whichever process of the service answers. */
async function ask(path, body, step) {
  for (let attempt = 0; ; attempt++) {
    const headers = { authorization: `Bearer ${LEDGER_KEY}`, 'content-type': 'application/json' };
    const sent = fetch(urls[attempt % urls.length] + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const answer = sent.then(async (response) => ({ status: response.status, body: await response.json() }));
    answer.catch(() => undefined);
    if (step === at && !isSent) await sleep(Math.random() * PAUSE_MS).then(() => reach(step));
    const { status, body: answered } = await answer.catch(() => ({ status: 503, body: undefined }));
    if (status < 500) return { status, body: answered };
    await sleep(PAUSE_MS);
  }
}

/** The report of each outcome to the ledger. A stale number was overtaken: the worker with the claim reports it. */
const REPORTS = { paid: 'succeed', declined: 'fail', unreachable: 'release' };

async function payOut({ id, amount, claim: { number } }) {
  await reach('claimed');
  const asked = fetch(PROVIDER, { method: 'POST', body: JSON.stringify({ id, amount, number }) });
  asked.catch(() => undefined);
  await reach('paying');
  const { outcome } = await (await asked).json();
  await reach('paid');
  const report = REPORTS[outcome];
  if (report) await ask(`/ledger/v1/refunds/${id}/${report}`, { claim: number }, 'reporting');
  else await reach('reporting');
  process.stdout.write(`reported ${id}\n`);
  await reach('reported');
}

for (;;) {
  const { body } = await ask('/ledger/v1/refunds/claim', { limit: 3, organization: ORGANIZATION }, 'claiming');
  for (const refund of body.data) await payOut(refund);
  if (body.data.length === 0) await sleep(PAUSE_MS);
}
