import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Demo } from './demo-tour.js';

const LEDGER = fileURLToPath(new URL('../../examples/ledger/ledger.js', import.meta.url));
export const ABOUT_LEDGER =
  'A small ledger, examples/ledger, pays out each refund of the demo within 5 seconds. To run yours: DEMO=off npm start\n';

/** Runs the small ledger of examples/ for the demo organization, on a second database. Returns what stops it. */
export function startDemoLedger(url: string, databaseUrl: string, demo: Demo): () => Promise<unknown> {
  const book = Object.assign(new URL(databaseUrl), { pathname: '/demo_ledger' }).href;
  const demoOnly = { TILLGATE_LEDGER_KEY: demo.ledgerKey, ORGANIZATION: demo.organization, PROVIDER_URL: undefined };
  const env = { ...process.env, ...demoOnly, TILLGATE_URL: url, LEDGER_DATABASE_URL: book };
  const ledger = fork(LEDGER, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = once(ledger, 'exit').catch(() => undefined);
  return () => {
    if (ledger.connected) ledger.disconnect();
    return ended;
  };
}
