/**
 * Puts a string in every place that can name a customer, and searches for it in every table and
 * answer.
 */
import { spawnSync } from 'node:child_process';
import type { Client } from 'pg';
import { ManageOrganizations } from '../../src/modules/access/index.js';
import type { Service } from '../kit/service.js';
import { DOCUMENT } from './document.js';
import type { Shop } from './shop.js';
import { committed } from './units.js';

export const PLANT = 'planted7q';
export const EMAIL = `${PLANT}@customer.example`;

/** Returns a session with the string in each field except for its references. */
export function plantedSession(notifyUrl: string, more: object = {}) {
  const url = (name: string) => `https://${PLANT}.example/${name}`;
  const data = { name: `${PLANT} book`, description: PLANT, images: [url('image')] };
  return {
    currency: 'usd',
    success_url: url('success'),
    cancel_url: url('cancel'),
    return_url: url('return'),
    notify_url: `${notifyUrl}/${PLANT}`,
    description: PLANT,
    customer_email: EMAIL,
    metadata: { first: PLANT, reference: 'order-7', [PLANT]: 'last' },
    line_items: [
      { quantity: 5, price_data: { currency: 'usd', unit_amount: 1000, product_data: data } },
    ],
    ...more,
  };
}

/** Returns what is left of a session after its redaction. */
export function redactedSession<Session extends { line_items: { data: readonly object[] } }>(
  session: Session,
) {
  const urls = { success_url: null, cancel_url: null, return_url: null, notify_url: null };
  const lines = session.line_items.data.map((line) => {
    return { ...line, product_name: '[redacted]', description: null, images: [] };
  });
  const kept = {
    metadata: { reference: 'order-7' },
    line_items: { ...session.line_items, data: lines },
  };
  return { ...session, ...urls, description: null, customer_email: null, ...kept };
}

/**
 * Returns the tables with a row that has the string in any column. With a URL, it searches a dump
 * too, where a `pg_dump` of the server's version is installed.
 */
export async function tablesWithPlant(sql: Client, url?: string): Promise<string[]> {
  const { rows } = await sql.query(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const { rowCount } = await sql.query(
      `SELECT FROM ${name} AS row WHERE row::text LIKE '%${PLANT}%' LIMIT 1`,
    );
    if (rowCount) found.push(name);
  }
  if (url === undefined) return found;
  const dump = spawnSync('pg_dump', ['--dbname', url], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (dump.status !== 0)
    process.stdout.write(
      'not searched: a dump. There is no pg_dump of this version of PostgreSQL.\n',
    );
  else if (dump.stdout.includes(PLANT)) found.push('a dump');
  return found;
}

/**
 * Returns the GET routes that show the string to the shop or its ledger, for each of the resources.
 */
export async function answersWithPlant(shop: Shop, ids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const paths = Object.keys(DOCUMENT.paths).filter(
    (path) => DOCUMENT.paths[path].get && /^\/(ledger\/)?v1/.test(path),
  );
  const ask = async (path: string) => {
    const { text } = await (path.startsWith('/ledger/') ? shop.ledgerGet(path) : shop.get(path));
    if (text.includes(PLANT)) found.push(path);
  };
  for (const path of paths) {
    const owner =
      path.startsWith('/ledger/') && path.includes('{id}')
        ? `?organization=${shop.organization}`
        : '';
    if (path.includes('{id}')) for (const id of ids) await ask(path.replace('{id}', id) + owner);
    else await ask(path);
  }
  await ask('/ledger/v1/refunds?status=all');
  return found;
}

/** Sets how many days the organization keeps details from now on. */
export function keepDetails(
  { application }: Service,
  { organization }: Shop,
  detailsRetentionDays: number,
) {
  const manage = application.get(ManageOrganizations);
  return committed({ application }, (unit) =>
    manage.change(unit, organization, { detailsRetentionDays }),
  );
}
