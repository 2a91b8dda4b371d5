/** The demo data of an empty embedded database: an organization, its keys, an order to pay, and a payment to refund. */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import type { INestApplicationContext } from '@nestjs/common';
import { ManageApiKeys, ManageOrganizations, Organizations } from '../../modules/access/index.js';
import { RecordPayment } from '../../modules/payments/index.js';
import { Database } from '../../persistence/database.js';
import { demoPage, openPage } from './demo-shop.js';
import { aboutWebhooks, type Demo, demoFile, invitation, readDemo, variables } from './demo-tour.js';

/** Creates the demo data in one transaction, and a file with its keys. Returns undefined if an organization exists. */
export async function makeDemo(application: INestApplicationContext, dataDir: string): Promise<Demo | undefined> {
  return application.get(Database).run({ queue: 'demo' }, async () => {
    if ((await application.get(Organizations).list({ limit: 1 })).items.length > 0) return undefined;
    const made = await make(application);
    // Before the commit: if that fails, the next start replaces the file.
    const file = demoFile(dataDir);
    writeFileSync(`${file}.new`, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
    return made;
  });
}

/** For a later start: where the file with the keys is and, if it exists, the keys and an open order. */
export async function reminder(application: INestApplicationContext, url: string, dataDir: string): Promise<string> {
  const file = demoFile(dataDir);
  const kept = `Demo keys are made once, on an empty database, and kept in ${file}`;
  if (!existsSync(file)) return `${kept}, which is not there.\n`;
  const demo = readDemo(dataDir);
  if (demo === undefined) return `${kept}, which is damaged: it is not JSON.\n`;
  const page = await openPage(application, { organization: demo.organization, mode: 'test' });
  const invited = page === undefined ? [] : [`\n${invitation({ page })}`];
  return `${[...invited, `${kept}.`, variables(url, demo), aboutWebhooks(demo)].join('\n\n')}\n`;
}

async function make(application: INestApplicationContext): Promise<Demo> {
  const organizations = application.get(ManageOrganizations);
  const organization = (await organizations.create('Demo')).organization.id;
  const [webhookSecret = ''] = await organizations.webhookSecrets(organization);
  const keys = application.get(ManageApiKeys);
  const secret = await keys.create({ kind: 'secret', mode: 'test', organization });
  const ledger = await keys.create({ kind: 'ledger', mode: 'test', organization: null });
  const capture = { amount: 5000, currency: 'usd', checkoutSession: null, reference: null };
  const caller = { organization, mode: 'test' } as const;
  const { payment } = await application
    .get(Database)
    .commit(() => application.get(RecordPayment).execute(caller, capture));
  const page = await demoPage(application, caller);
  const made = { organization, webhookSecret, key: secret.token, ledgerKey: ledger.token, payment: payment.state.id };
  return page === undefined ? made : { ...made, page };
}
