/** Two organizations with something of everything, and keys of every kind, made as operators and callers make them. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { command as run } from '../support/command.js';
import type { Surroundings } from './requests.js';
import type { Node } from './values.js';

const OF_EACH = 4;

export async function prepare(url: string, databaseUrl: string): Promise<Surroundings> {
  const command = async (...words: readonly string[]) => {
    const { stdout, stderr } = await run(words, { DATABASE_URL: databaseUrl });
    if (stderr) throw new Error(stderr);
    return JSON.parse(stdout);
  };
  const key = async (...words: readonly string[]): Promise<string> => (await command('key', 'create', ...words)).key;
  const [own, other] = await Promise.all([command('org', 'create', 'Own'), command('org', 'create', 'Other')]);
  const [test, live, foreign, ledger] = (await Promise.all([
    key('--org', own.id, '--mode', 'test'),
    key('--org', own.id, '--mode', 'live'),
    key('--org', other.id, '--mode', 'test'),
    key('--kind', 'ledger', '--mode', 'test'),
  ])) as [string, string, string, string];
  const ids = {
    org: [own.id, other.id],
    cs: [] as string[],
    pay: [] as string[],
    re: [] as string[],
    evt: [] as string[],
  };
  for (const [organization, secret] of [
    [own.id, test],
    [other.id, foreign],
  ]) {
    const call = async (path: string, token: string, body?: object) => {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      };
      const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {};
      const response = await fetch(url + path, { headers, ...sent });
      if (!response.ok) throw new Error(await response.text());
      return (await response.json()) as Node;
    };
    const price = { currency: 'usd', unit_amount: 1000, product_data: { name: 'Book' } };
    for (let each = 0; each < OF_EACH; each++) {
      const payment = await call('/ledger/v1/payments', ledger, { organization, amount: 1_000_000, currency: 'usd' });
      const session = await call('/v1/checkout_sessions', secret, {
        currency: 'usd',
        line_items: [{ price_data: price }],
      });
      const refund = await call('/v1/refunds', secret, { payment: payment.id, amount: 1 });
      const { data } = await call(`/v1/events?object=${session.id}`, secret);
      ids.pay.push(payment.id);
      ids.cs.push(session.id);
      ids.re.push(refund.id);
      ids.evt.push(data[0].id);
    }
  }
  const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
  const keys = { v1: `Bearer ${test}`, ledger: `Basic ${Buffer.from(`${ledger}:`).toString('base64')}` };
  const strangers = [
    'Bearer',
    'Bearer x',
    `Bearer ${test}x`,
    `Bearer ${test} x`,
    'Basic',
    'Basic !',
    `Digest ${test}`,
    '',
  ];
  return { document, ids, keys, otherKeys: [`Bearer ${live}`, `Bearer ${foreign}`, `Bearer ${ledger}`, ...strangers] };
}
