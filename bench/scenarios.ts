/** What is asked of both servers: the same five requests, each spread over enough rows that none of them is a hot spot. */

import { randomUUID } from 'node:crypto';
import type { Request } from 'autocannon';
import { Client } from 'pg';
import { PAYMENT_ID } from '../src/modules/payments/domain/payment.js';
import { newId, uuidOf } from '../src/shared/id.js';

/** More than there are connections, so that requests at the same time meet different rows. */
const ROWS = 512;
const LARGEST_AMOUNT = 999_999_999_999;

export interface Shop {
  readonly organization: string;
  readonly key: string;
}

export interface Scenario {
  readonly name: string;
  readonly status: number;
  /** What one connection sends, over and over; `[<id>]` is replaced by a new one each time. */
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

/** Makes what the requests need, through the server itself where it can, and returns the requests. */
export async function prepareScenarios(url: string, databaseUrl: string, shop: Shop): Promise<Scenario[]> {
  const authorization = `Bearer ${shop.key}`;
  const keys = Array.from({ length: ROWS }, () => randomUUID());
  const body = JSON.stringify(SESSION);
  const sessions: string[] = [];
  for (const key of keys) {
    const response = await createSession(url, shop, key);
    sessions.push(((await response.json()) as { id: string }).id);
  }
  const writing = (key: string) => writingAs(shop, key);
  const payments = await capturePayments(databaseUrl, shop);
  return [
    creation(shop),
    {
      name: 'read',
      status: 200,
      requests: sessions.map((id) => reading(`/v1/checkout_sessions/${id}`, authorization)),
    },
    { name: 'list', status: 200, requests: [reading('/v1/checkout_sessions?limit=25', authorization)] },
    {
      name: 'refund',
      status: 201,
      requests: payments.map((payment) => ({
        method: 'POST',
        path: '/v1/refunds',
        headers: writing('[<id>]'),
        body: JSON.stringify({ payment, amount: 1 }),
      })),
    },
    { name: 'replay', status: 201, requests: keys.map((key) => ({ ...CREATE, headers: writing(key), body })) },
  ];
}

/** A new session each time. */
export function creation(shop: Shop): Scenario {
  const headers = writingAs(shop, '[<id>]');
  return { name: 'create', status: 201, requests: [{ ...CREATE, headers, body: JSON.stringify(SESSION) }] };
}

/** As large as a session can be, with texts that grow sixfold when they are escaped. */
export const LARGEST_SESSION = {
  ...SESSION,
  line_items: Array.from({ length: 100 }, () => {
    const product_data = { name: '"'.repeat(255), description: '"'.repeat(1_000) };
    return { price_data: { currency: 'usd', unit_amount: 1, product_data } };
  }),
};

/** The page of each session, as a browser asks for it. */
export async function preparePages(url: string, shop: Shop, session: object = SESSION): Promise<Scenario> {
  const requests: Request[] = [];
  for (let row = 0; row < ROWS; row++) {
    const { headers } = await createSession(url, shop, randomUUID(), session);
    const [, page = ''] = /<([^>]+)>; rel="payment"/.exec(headers.get('link') ?? '') ?? [];
    requests.push({ method: 'GET', path: new URL(page).pathname, headers: { 'accept-language': 'en-US,en;q=0.9' } });
  }
  return { name: 'page', status: 200, requests };
}

async function createSession(url: string, shop: Shop, key: string, session: object = SESSION): Promise<Response> {
  const sent = { method: 'POST', headers: writingAs(shop, key), body: JSON.stringify(session) };
  const response = await fetch(`${url}/v1/checkout_sessions`, sent);
  if (response.status !== 201) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response;
}

function writingAs({ key }: Shop, idempotencyKey: string) {
  return {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': idempotencyKey,
  };
}

function reading(path: string, authorization: string): Request {
  return { method: 'GET', path, headers: { authorization } };
}

/** Payments that a whole bench of refunds cannot exhaust, as the ledger would have recorded them. */
async function capturePayments(databaseUrl: string, { organization }: Shop): Promise<string[]> {
  const payments = Array.from({ length: ROWS }, () => newId(PAYMENT_ID, Date.now(), 'test'));
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `INSERT INTO payments (organization_id, mode, id, currency, amount) SELECT $1, 'test', id, 'usd', $2
     FROM unnest($3::uuid[]) AS payment (id)`,
    [uuidOf(organization), LARGEST_AMOUNT, payments.map(uuidOf)],
  );
  await client.end();
  return payments;
}
