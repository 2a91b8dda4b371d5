/**
 * Both servers get the same five requests, each spread over enough rows that no row gets most of
 * the load.
 */

import { randomUUID } from 'node:crypto';
import type { Request } from 'autocannon';
import { PAYMENT_ID } from '../src/modules/payments/domain/payment.js';
import { newId, uuidOf } from '../src/shared/id.js';
import { connect, type Shop } from './servers.js';

/** There are more rows than connections, so that requests at the same time reach different rows. */
const ROWS = 512;
const LARGEST_AMOUNT = 999_999_999_999;

export interface Scenario {
  readonly name: string;
  readonly status: number;
  /**
   * A connection sends this request again and again; `[<id>]` is replaced by a new ID each time.
   */
  readonly requests: readonly Request[];
}

export const SESSION = {
  currency: 'usd',
  success_url: 'https://shop.example/thanks',
  cancel_url: 'https://shop.example/cart',
  customer_email: 'ada@shop.example',
  metadata: { order: '1001' },
  line_items: [line('T-shirt', 1299, 2), line('Mug', 899, 1)],
};

function line(name: string, amount: number, quantity: number) {
  return { quantity, price_data: { currency: 'usd', unit_amount: amount, product_data: { name } } };
}

const CREATE = { method: 'POST', path: '/v1/checkout_sessions' } as const;

/**
 * Makes the resources that the requests need, through the server itself where it can. Returns the
 * requests.
 */
export async function prepareScenarios(
  url: string,
  databaseUrl: string,
  shop: Shop,
): Promise<Scenario[]> {
  const authorization = `Bearer ${shop.key}`;
  const keys = Array.from({ length: ROWS }, () => randomUUID());
  const body = JSON.stringify(SESSION);
  const sessions: string[] = [];
  const writing = (key: string) => {
    return { authorization, 'content-type': 'application/json', 'idempotency-key': key };
  };
  for (const key of keys) sessions.push(await createSession(url, writing(key), body));
  const payments = await capturePayments(databaseUrl, shop);
  return [
    { name: 'create', status: 201, requests: [{ ...CREATE, headers: writing('[<id>]'), body }] },
    {
      name: 'read',
      status: 200,
      requests: sessions.map((id) => reading(`/v1/checkout_sessions/${id}`, authorization)),
    },
    {
      name: 'list',
      status: 200,
      requests: [reading('/v1/checkout_sessions?limit=25', authorization)],
    },
    {
      name: 'refund',
      status: 201,
      requests: payments.map((payment) => refunding(payment, writing('[<id>]'))),
    },
    {
      name: 'replay',
      status: 201,
      requests: keys.map((key) => ({ ...CREATE, headers: writing(key), body })),
    },
  ];
}

const refunding = (payment: string, headers: Record<string, string>) => ({
  method: 'POST' as const,
  path: '/v1/refunds',
  headers,
  body: JSON.stringify({ payment, amount: 1 }),
});

async function createSession(
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<string> {
  const response = await fetch(`${url}/v1/checkout_sessions`, { method: 'POST', headers, body });
  if (response.status !== 201)
    throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { id: string }).id;
}

function reading(path: string, authorization: string): Request {
  return { method: 'GET', path, headers: { authorization } };
}

/**
 * Makes payments that all refunds of a bench cannot exhaust, as the ledger would have recorded
 * them.
 */
async function capturePayments(
  databaseUrl: string,
  { organization, mode }: Shop,
): Promise<string[]> {
  const payments = Array.from({ length: ROWS }, () => newId(PAYMENT_ID, Date.now(), mode));
  const sql = await connect(databaseUrl);
  await sql.query(
    `INSERT INTO payments (organization_id, mode, id, currency, amount) SELECT $1, $4, id, 'usd', $2
     FROM unnest($3::uuid[]) AS payment (id)`,
    [uuidOf(organization), LARGEST_AMOUNT, payments.map(uuidOf), mode],
  );
  await sql.end();
  return payments;
}
