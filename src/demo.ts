/** What a newcomer finds on an empty embedded database: an organization, its keys, and a payment to refund. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { CreateOrganization, FindOrganization, ManageApiKeys } from './modules/access/index.js';
import { RecordPayment } from './modules/payments/index.js';

export interface Demo {
  readonly organization: string;
  readonly key: string;
  readonly ledgerKey: string;
  readonly payment: string;
}

/** The demo data, made on the first start. Its keys are kept in a file, because the database has only their digests. */
export async function demo(application: INestApplicationContext, dataDir: string): Promise<Demo> {
  const file = join(dataDir, 'demo.json');
  if (existsSync(file)) {
    const made = JSON.parse(readFileSync(file, 'utf8')) as Demo;
    // Not there when the database was removed, or its migrations reverted, and the file was not.
    if (await application.get(FindOrganization).exists(made.organization)) return made;
  }
  const made = await make(application);
  // Moved into place whole: half a file would keep every later start from reading it.
  writeFileSync(`${file}.new`, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return made;
}

async function make(application: INestApplicationContext): Promise<Demo> {
  const { id: organization } = await application.get(CreateOrganization).execute('Demo');
  const keys = application.get(ManageApiKeys);
  const never = { mode: 'test', allowedOrigins: [], expiresAt: null } as const;
  const secret = await keys.create({ ...never, kind: 'secret', organization });
  const ledger = await keys.create({ ...never, kind: 'ledger', organization: null });
  const capture = { amount: 5000, currency: 'usd', checkoutSession: null, reference: null };
  const { payment } = await application.get(RecordPayment).execute({ organization, mode: 'test' }, capture);
  return { organization, key: secret.token, ledgerKey: ledger.token, payment: payment.facts.id };
}

/** Lines to paste into a shell, from a session to a refund. */
export function tour(url: string, { key, ledgerKey, payment }: Demo): string {
  return `
Tillgate listens on ${url}

  Secret key (test)   ${key}
  Ledger key (test)   ${ledgerKey}

Paste these to take the tour:

KEY=${key}

# Create a checkout session, and remember its id
SESSION=$(curl -sS ${url}/v1/checkout_sessions -H "Authorization: Bearer $KEY" \\
  -H 'Content-Type: application/json' -H "Idempotency-Key: session-$(date +%s)" \\
  -d '{"currency":"usd","line_items":[{"quantity":2,"price_data":{"currency":"usd","unit_amount":1299,"product_data":{"name":"T-shirt"}}}]}' \\
  | tee /dev/stderr | grep -o 'cs_test_[0-9a-z]*' | head -n 1)

# Read it, and list all of them
curl -sS ${url}/v1/checkout_sessions/$SESSION -H "Authorization: Bearer $KEY"
curl -sS '${url}/v1/checkout_sessions?limit=3' -H "Authorization: Bearer $KEY"

# Propose to refund 5.00 of a captured payment of 50.00 USD, and read the proposal
REFUND=$(curl -sS ${url}/v1/refunds -H "Authorization: Bearer $KEY" \\
  -H 'Content-Type: application/json' -H "Idempotency-Key: refund-$(date +%s)" \\
  -d '{"payment":"${payment}","amount":500}' \\
  | tee /dev/stderr | grep -o 're_test_[0-9a-z]*' | head -n 1)
curl -sS ${url}/v1/refunds/$REFUND -H "Authorization: Bearer $KEY"

Ctrl-C stops the server and its database. Another data directory: DATA_DIR=… npm start
`;
}
