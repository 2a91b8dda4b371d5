/** What a newcomer finds on an empty embedded database: an organization, its keys, an order to pay, and a payment to refund. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { CreateOrganization, FindOrganization, ManageApiKeys } from '../modules/access/index.js';
import { RecordPayment } from '../modules/payments/index.js';
import { Database } from '../platform/database/database.js';
import { UnitOfWork } from '../platform/database/unit-of-work.js';
import { demoPage } from './demo-shop.js';

export interface Demo {
  readonly organization: string;
  readonly webhookSecret: string;
  readonly key: string;
  readonly ledgerKey: string;
  readonly payment: string;
  /** Where a first order is paid. */
  readonly page?: string;
}

/** Makes the demo data, all or none, and a file of its keys. Undefined, and nothing, where there is any organization. */
export async function makeDemo(application: INestApplicationContext, dataDir: string): Promise<Demo | undefined> {
  return application.get(Database).run(async () => {
    if (await application.get(FindOrganization).any()) return undefined;
    const made = await make(application);
    // Before the commit: keys without a demo are harmless, and replaced at the next start.
    const file = demoFile(dataDir);
    writeFileSync(`${file}.new`, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
    return made;
  });
}

/** For a later start: where the keys are, and if they are there, what they are. */
export function reminder(url: string, dataDir: string): string {
  const file = demoFile(dataDir);
  const kept = `Demo keys are made once, on an empty database, and kept in ${file}`;
  if (!existsSync(file)) return `${kept}, which is not there.`;
  const demo = JSON.parse(readFileSync(file, 'utf8')) as Demo;
  return `${kept}.\n\n${variables(url, demo)}\n\n${aboutWebhooks(demo)}\n`;
}

const variables = (url: string, { organization, key, ledgerKey }: Demo): string =>
  `API=${url} ORGANIZATION=${organization} KEY=${key} LEDGER_KEY=${ledgerKey}`;

function demoFile(dataDir: string): string {
  return join(resolve(dataDir), 'demo.json');
}

async function make(application: INestApplicationContext): Promise<Demo> {
  const { id: organization, webhookSecret } = await application.get(CreateOrganization).execute('Demo');
  const keys = application.get(ManageApiKeys);
  const never = { mode: 'test', allowedOrigins: [], expiresAt: null } as const;
  const secret = await keys.create({ ...never, kind: 'secret', organization });
  const ledger = await keys.create({ ...never, kind: 'ledger', organization: null });
  const capture = { amount: 5000, currency: 'usd', checkoutSession: null, reference: null };
  const caller = { organization, mode: 'test' } as const;
  const { payment } = await application
    .get(UnitOfWork)
    .commit(() => application.get(RecordPayment).execute(caller, capture));
  const page = await demoPage(application, caller);
  const made = { organization, webhookSecret, key: secret.token, ledgerKey: ledger.token, payment: payment.state.id };
  return page === undefined ? made : { ...made, page };
}

const LINE = { quantity: 2, price_data: { currency: 'usd', unit_amount: 1299, product_data: { name: 'T-shirt' } } };

/** What to try first. */
export const invitation = ({ page }: Demo): string => `Open this page and press Pay, as a customer would:\n\n  ${page}`;

/**
 * Lines to paste into bash or zsh, all at once or one by one, from a session to its settled refund. Titles are said with
 * echo, because an interactive zsh takes # for a command.
 */
export function tour(url: string, demo: Demo): string {
  const { organization, key, ledgerKey, payment } = demo;
  const { secret, ledger, get, post, newest, json } = commandsFor();
  return `
  Secret key (test)   ${key}
  Ledger key (test)   ${ledgerKey}
  API reference       ${url}/docs

Paste these to take the tour:

${variables(url, demo)}

echo '1. Create a checkout session'
${post('/v1/checkout_sessions', secret, json({ currency: 'usd', line_items: [LINE] }))}

echo '2. Read it, and list all of them'
SESSION=${newest('/v1/checkout_sessions', 'cs')}
${get('/v1/checkout_sessions/$SESSION', secret)}
${get('/v1/checkout_sessions?limit=3', secret)}

echo '3. As the ledger, record the payment captured for it: the session is complete and paid'
${post('/ledger/v1/payments', ledger, json({ organization, amount: 2598, currency: 'usd', checkout_session: '$SESSION' }))}
${get('/v1/checkout_sessions/$SESSION', secret)}

echo '4. Propose to refund 5.00 of a payment of 50.00 that was here before: pending, until the ledger decides'
${post('/v1/refunds', secret, json({ payment, amount: 500 }))}
REFUND=${newest('/v1/refunds', 're')}
${get('/v1/refunds/$REFUND', secret)}

echo '5. As the ledger, list what waits, and settle it: the payment has less left'
${get('/ledger/v1/refunds', ledger)}
curl -sS -w '\\n' -X POST $API/ledger/v1/refunds/$REFUND/succeed ${ledger}
${get(`/v1/payments/${payment}`, secret)}

${aboutWebhooks(demo)}

Ctrl-C stops the server and its database. Another data directory: DATA_DIR=… npm start
`;
}

function aboutWebhooks({ webhookSecret = '<whsec_…>' }: Demo): string {
  return `Webhooks: start with WEBHOOK_ALLOW_PRIVATE=true, give sessions "notify_url":"http://localhost:4000/", and receive them by
  npx tillgate webhook listen --port 4000 --secret ${webhookSecret}`;
}

function commandsFor() {
  const secret = '-H "Authorization: Bearer $KEY"';
  const ledger = '-H "Authorization: Bearer $LEDGER_KEY"';
  const get = (path: string, as: string) => `curl -sS -w '\\n' "$API${path}" ${as}`;
  const post = (path: string, as: string, body: string) =>
    `curl -sS -w '\\n' "$API${path}" ${as} -H 'Content-Type: application/json' -H "Idempotency-Key: $(date +%s)" -d '${body}'`;
  const newest = (path: string, prefix: string) =>
    `$(curl -sS "$API${path}?limit=1" ${secret} | grep -o '${prefix}_test_[0-9a-z]*' | head -n 1)`;
  // Out of the single quotes and in again: the shell puts the id there.
  const json = (value: object) => JSON.stringify(value).replace('$SESSION', `'$SESSION'`);
  return { secret, ledger, get, post, newest, json };
}
