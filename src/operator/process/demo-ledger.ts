import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Demo } from './demo-tour.js';

const LEDGER = fileURLToPath(import.meta.resolve('#examples/ledger/ledger.js'));
/** The ledger pauses so that people see a refund pending first, and may decide it themselves. */
const PAUSE_SECONDS = 5;
const POLL_SECONDS = '600';
export const ABOUT_LEDGER =
  'A small ledger, examples/ledger, pays out each refund of the demo after 5 seconds. To run ' +
  'yours, start with DEMO=off.\n';

/**
 * Runs the small ledger of examples/ for the demo organization, on a second database, and wakes it.
 * Returns a function that stops it.
 */
export function startDemoLedger(
  url: string,
  databaseUrl: string,
  demo: Demo,
): () => Promise<unknown> {
  const book = Object.assign(new URL(databaseUrl), { pathname: '/demo_ledger' }).href;
  const demoOnly = {
    TILLGATE_LEDGER_KEY: demo.ledgerKey,
    ORGANIZATION: demo.organization,
    PROVIDER_URL: undefined,
  };
  const env = {
    ...process.env,
    ...demoOnly,
    TILLGATE_URL: url,
    LEDGER_DATABASE_URL: book,
    POLL_SECONDS,
  };
  const ledger = fork(LEDGER, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = once(ledger, 'exit').catch(() => undefined);
  const wake = async () => {
    const isDue = await hasOldRefund(url, demo).catch(() => false);
    if (isDue && ledger.connected) ledger.send('refund', () => undefined);
  };
  const asking = setInterval(wake, PAUSE_SECONDS * 1_000);
  return () => {
    clearInterval(asking);
    if (ledger.connected) ledger.disconnect();
    return ended;
  };
}

async function hasOldRefund(url: string, { ledgerKey, organization }: Demo): Promise<boolean> {
  const headers = { authorization: `Bearer ${ledgerKey}` };
  const response = await fetch(`${url}/ledger/v1/refunds?organization=${organization}`, {
    headers,
  });
  const { data } = (await response.json()) as { data: { created: number }[] };
  const now = Date.parse(response.headers.get('date') ?? '') / 1_000;
  return data.some(({ created }) => created <= now - PAUSE_SECONDS);
}
