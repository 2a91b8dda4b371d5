import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export interface Demo {
  readonly organization: string;
  readonly webhookSecret: string;
  readonly key: string;
  readonly ledgerKey: string;
  readonly payment: string;
  readonly page: string | undefined;
}

export function readDemo(dataDir: string): Demo | undefined {
  try {
    return JSON.parse(readFileSync(demoFile(dataDir), 'utf8')) as Demo;
  } catch {
    return undefined;
  }
}

export function demoFile(dataDir: string): string {
  return join(resolve(dataDir), 'demo.json');
}

export const invitation = ({ page }: Pick<Demo, 'page'>): string =>
  `Open this page and press Pay, as a customer would:\n\n  ${page}`;

export const variables = (url: string, { organization, key, ledgerKey }: Demo): string =>
  `API=${url} ORGANIZATION=${organization} KEY=${key} LEDGER_KEY=${ledgerKey}`;

export const aboutWebhooks = ({ webhookSecret = '<whsec_…>' }: Demo): string =>
  `Webhooks: give sessions "notify_url":"http://localhost:4000/", and receive them by
  WEBHOOK_SECRET=${webhookSecret} npx tillgate webhook listen --port 4000`;

const ORDER =
  '{"currency":"usd","line_items":[{"quantity":2,"price_data":' +
  '{"currency":"usd","unit_amount":1299,"product_data":{"name":"T-shirt"}}}]}';

const get = (path: string, key = 'KEY'): string => `curl -sS -w '\\n' "$API${path}" -u "$${key}:"`;
const post = (path: string, once: string, body: string, key = 'KEY'): string =>
  `${get(path, key)} -H "$JSON" -H "Idempotency-Key: ${once}-$NOW" -d ${body}`;
const newest = (path: string, prefix: string): string =>
  `$(${get(`${path}?limit=1`)} | grep -o '${prefix}_test_[0-9a-z]*' | head -n 1)`;

const CREATE = post('/v1/checkout_sessions', 'order', '"$ORDER"');
const CAPTURE =
  `'{"organization":"'$ORGANIZATION'","amount":2598,"currency":"usd",` +
  `"checkout_session":"'$SESSION'"}'`;

/**
 * The tour runs in bash and in zsh, all at once or line by line. Its titles use echo, because an
 * interactive zsh takes # for a command.
 */
export function tour(url: string, demo: Demo): string {
  const { key, ledgerKey, payment } = demo;
  const refund = (amount: number) => `'{"payment":"${payment}","amount":${amount}}'`;
  return `
  Secret key (test)   ${key}
  Ledger key (test)   ${ledgerKey}
  API reference       ${url}/docs

Paste these to take the tour:

${variables(url, demo)}
NOW=$(date +%s) JSON='Content-Type: application/json'
ORDER='${ORDER}'
echo '1. Create a checkout session; its page is where the customer pays'
${CREATE}
SESSION=${newest('/v1/checkout_sessions', 'cs')}
${get('/v1/checkout_sessions/$SESSION/page')}
echo '2. Send the same request again: the same answer, with Idempotent-Replayed: true'
${CREATE} -i | grep -i -E 'HTTP/|idempotent|"id"'
echo '3. Read it, and list all of them'
${get('/v1/checkout_sessions/$SESSION')}
${get('/v1/checkout_sessions?limit=3')}
echo '4. As the ledger, record the payment captured for it: the session is complete and paid'
${post('/ledger/v1/payments', 'capture', CAPTURE, 'LEDGER_KEY')}
${get('/v1/checkout_sessions/$SESSION')}
echo '5. Refund 5.00 of a payment of 50.00 that was here before: pending, until the ledger decides'
${post('/v1/refunds', 'refund', refund(500))}
REFUND=${newest('/v1/refunds', 're')}
echo '6. Refund more than is left: the error says how much is possible, and what to do next'
${post('/v1/refunds', 'too-much', refund(5000))}
echo '7. As the ledger, list what waits, and mark it as succeeded: the payment has less left'
${get('/ledger/v1/refunds', 'LEDGER_KEY')}
${get('/ledger/v1/refunds/$REFUND/succeed', 'LEDGER_KEY')} -X POST
${get(`/v1/payments/${payment}`)}

${aboutWebhooks(demo)}

Ctrl-C stops the server and its database. DATA_DIR=… is another data directory.
`;
}
