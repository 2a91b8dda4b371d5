/**
 * The demo data fill an empty embedded database: an organization, its keys, an order to pay, and a
 * payment to refund.
 */
import { renameSync, writeFileSync } from 'node:fs';
import type { INestApplicationContext } from '@nestjs/common';
import { ManageApiKeys, ManageOrganizations, Organizations } from '../../modules/access/index.js';
import {
  CheckoutSessionQueries,
  OpenCheckoutSession,
  PageLinks,
} from '../../modules/checkout/index.js';
import { RecordPayment } from '../../modules/payments/index.js';
import { Units } from '../../persistence/units.js';
import type { Work } from '../../shared/unit.js';
import { commandAuthor } from '../author.js';
import { DEMO_LEDGER } from '../telemetry/request-log.js';
import {
  aboutWebhooks,
  type Demo,
  demoFile,
  invitation,
  readDemo,
  variables,
} from './demo-tour.js';

const ORDER = {
  currency: 'usd',
  amountShipping: 490,
  lineItems: [
    { productName: 'T-shirt', quantity: 2, unitPrice: 1299, currency: 'usd' },
    { productName: 'Mug', quantity: 1, unitPrice: 900, currency: 'usd' },
  ],
  description: 'The order of the demo',
};
const CAPTURE = { amount: 5000, currency: 'usd', checkoutSession: null, reference: null };

/**
 * Creates the demo data in one transaction, and a file with its keys. Returns undefined if an
 * organization exists.
 */
export async function makeDemo(
  application: INestApplicationContext,
  dataDir: string,
): Promise<Demo | undefined> {
  const write = async (unit: Work) => {
    if ((await application.get(Organizations).list({ limit: 1 })).items.length > 0)
      return undefined;
    const made = await make(application, unit);
    // The file is written before the commit. If the commit fails, the next start replaces the file.
    const file = demoFile(dataDir);
    writeFileSync(`${file}.new`, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
    return made;
  };
  return application.get(Units).commit({ queue: 'demo' }, write, commandAuthor());
}

/**
 * Tells a later start where the file with the keys is and, if it can be read, the keys and an open
 * order.
 */
export async function reminder(
  application: INestApplicationContext,
  url: string,
  dataDir: string,
): Promise<string> {
  const kept = `Demo keys are made once, on an empty database, and kept in ${demoFile(dataDir)}`;
  const demo = readDemo(dataDir);
  if (demo === undefined) return `${kept}, which cannot be read.\n`;
  const page = await openPage(application, demo.organization);
  const invited = page === undefined ? [] : [`\n${invitation({ page })}`];
  return `${[...invited, `${kept}.`, variables(url, demo), aboutWebhooks(demo)].join('\n\n')}\n`;
}

async function make(application: INestApplicationContext, unit: Work): Promise<Demo> {
  const created = await application.get(ManageOrganizations).create(unit, 'Demo');
  const [organization, { webhookSecret = '' }] = [created.organization.id, created];
  const keys = application.get(ManageApiKeys);
  const secret = await keys.create(unit, { kind: 'secret', mode: 'test', organization });
  const settling = { organization: null, holder: DEMO_LEDGER };
  const ledger = await keys.create(unit, { kind: 'ledger', mode: 'test', ...settling });
  const shop = application.get(Units).as(unit, { organization, mode: 'test' });
  const { payment } = await application.get(RecordPayment).execute(shop, CAPTURE);
  const session = await application.get(OpenCheckoutSession).execute(shop, ORDER);
  const page = application.get(PageLinks).urlOf(organization, session.state.id);
  const tokens = { key: secret.token, ledgerKey: ledger.token };
  return { organization, webhookSecret, ...tokens, payment: payment.state.id, page };
}

async function openPage(
  application: INestApplicationContext,
  organization: string,
): Promise<string | undefined> {
  const all = { reference: undefined, from: undefined, to: undefined, cursor: undefined };
  const open = { ...all, status: 'open', limit: 1 } as const;
  const { items } = await application
    .get(CheckoutSessionQueries)
    .list({ organization, mode: 'test' }, open);
  return items[0] && application.get(PageLinks).urlOf(organization, items[0].id);
}
