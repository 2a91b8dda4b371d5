/** Two organizations with something of everything, and keys of every kind, made as operators and callers make them. */
import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../../src/app.module.js';
import { readConfig } from '../../src/platform/config.js';
import { DOCUMENT } from '../support/document.js';
import { createLedgerKey, createTenant } from '../support/tenants.js';
import type { Node } from '../support/values.js';

const OF_EACH = 4;

export type Surroundings = Awaited<ReturnType<typeof prepare>>;

/** Sends a request and returns the body. Throws if the answer is no 2xx. */
async function call(url: string, authorization: string, path: string, body?: object): Promise<Node> {
  const headers = {
    authorization,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  };
  const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {};
  const response = await fetch(url + path, { headers, ...sent });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status} ${text}`);
  return JSON.parse(text);
}

/** What an operator does, in an application that serves nobody. */
async function operate<Made>(databaseUrl: string, work: (application: INestApplicationContext) => Promise<Made>) {
  const module = AppModule.register(readConfig({}), databaseUrl, { timeLimits: false });
  const application = await NestFactory.createApplicationContext(module, { logger: false });
  return work(application).finally(() => application.close());
}

export async function prepare(url: string, databaseUrl: string) {
  const [own, other, ledger] = await operate(databaseUrl, (application) =>
    Promise.all([createTenant({ application }), createTenant({ application }), createLedgerKey({ application })]),
  );
  const keys = { v1: `Bearer ${own.test}`, ledger: `Basic ${Buffer.from(`${ledger}:`).toString('base64')}` };
  const foreign = `Bearer ${other.test}`;
  const ids: Record<string, string[]> = {
    org: [own.organization, other.organization],
    cs: [],
    pay: [],
    re: [],
    evt: [],
  };
  for (const { key, organization } of [
    { key: keys.v1, organization: own.organization },
    { key: foreign, organization: other.organization },
  ]) {
    const made = async (path: string, body: object) => {
      const { id } = await call(url, path.startsWith('/ledger') ? keys.ledger : key, path, body);
      ids[id.split('_')[0]]?.push(id);
      return id;
    };
    const price = { currency: 'usd', unit_amount: 1000, product_data: { name: 'Book' } };
    for (let each = 0; each < OF_EACH; each++) {
      const payment = await made('/ledger/v1/payments', { organization, amount: 1_000_000, currency: 'usd' });
      const session = await made('/v1/checkout_sessions', { currency: 'usd', line_items: [{ price_data: price }] });
      await made('/v1/refunds', { payment, amount: 1 });
      const { data } = await call(url, key, `/v1/events?object=${session}`);
      ids.evt?.push(data[0].id);
    }
  }
  const strangers = [
    'Bearer',
    'Bearer x',
    `Bearer ${own.test}x`,
    `Bearer ${own.test} x`,
    'Basic',
    'Basic !',
    `Digest ${own.test}`,
    '',
  ];
  const otherKeys = [`Bearer ${own.live}`, foreign, `Bearer ${ledger}`, ...strangers];
  return {
    document: DOCUMENT,
    ids,
    keys: keys as Readonly<Record<string, string>>,
    otherKeys,
  };
}
