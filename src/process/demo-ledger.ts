import { fork } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Demo } from './demo-tour.js';

/** The channel that hears of each proposed refund. */
export const PROPOSED = 'tillgate.demo.refund';
const LEDGER = fileURLToPath(new URL('../../examples/ledger/ledger.js', import.meta.url));
/** So that people see the refund pending first. */
const PAUSE_MS = 5_000;
/** It is told of each refund. */
const POLL_SECONDS = '600';
export const ABOUT_LEDGER =
  'A small ledger, examples/ledger, pays out each refund of the demo after 5 seconds. To run yours: DEMO=off npm start\n';

/** Runs the small ledger of examples/ for the demo organization, on a second database. Returns what stops it. */
export function startDemoLedger(url: string, databaseUrl: string, demo: Demo): () => Promise<unknown> {
  const book = Object.assign(new URL(databaseUrl), { pathname: '/demo_ledger' }).href;
  const demoOnly = { TILLGATE_LEDGER_KEY: demo.ledgerKey, ORGANIZATION: demo.organization, PROVIDER_URL: undefined };
  const env = { ...process.env, ...demoOnly, TILLGATE_URL: url, LEDGER_DATABASE_URL: book, POLL_SECONDS };
  const ledger = fork(LEDGER, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = once(ledger, 'exit').catch(() => undefined);
  subscribe(PROPOSED, () =>
    setTimeout(() => ledger.connected && ledger.send('refund', () => undefined), PAUSE_MS).unref(),
  );
  return () => {
    if (ledger.connected) ledger.disconnect();
    return ended;
  };
}
