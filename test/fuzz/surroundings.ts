/** Two organizations with something of everything, and keys of every kind, made as operators and callers make them. */
import { randomUUID } from 'node:crypto';
import { command as run } from '../support/command.js';
import { DOCUMENT } from '../support/document.js';
import type { Node } from './values.js';

const OF_EACH = 4;

export type Surroundings = Awaited<ReturnType<typeof prepare>>;

/** Sends a request on a connection of its own and returns the body. Throws if the answer is no 2xx. */
export async function call(url: string, authorization: string, path: string, body?: object): Promise<Node> {
  const headers = {
    authorization,
    connection: 'close',
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  };
  const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {};
  const response = await fetch(url + path, { headers, ...sent });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status} ${text}`);
  return JSON.parse(text);
}

/** Each organization has an endpoint below each of these URLs. */
export async function prepare(url: string, databaseUrl: string, endpoints: readonly string[] = []) {
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
  const keys = { v1: `Bearer ${test}`, ledger: `Basic ${Buffer.from(`${ledger}:`).toString('base64')}` };
  const callers = {
    own: { key: keys.v1, organization: own.id, mode: 'test' },
    live: { key: `Bearer ${live}`, organization: own.id, mode: 'live' },
    other: { key: `Bearer ${foreign}`, organization: other.id, mode: 'test' },
  } as const;
  const ids: Record<string, string[]> = { org: [own.id, other.id], cs: [], pay: [], re: [], evt: [] };
  if (endpoints.length > 0) ids.we = [];
  for (const { key, organization } of [callers.own, callers.other]) {
    const made = async (path: string, body: object) => {
      const { id } = await call(url, path.startsWith('/ledger') ? keys.ledger : key, path, body);
      ids[id.split('_')[0]]?.push(id);
      return id;
    };
    const price = { currency: 'usd', unit_amount: 1000, product_data: { name: 'Book' } };
    for (const to of endpoints) await made('/v1/webhook_endpoints', { url: `${to}/${organization}`, events: ['*'] });
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
    `Bearer ${test}x`,
    `Bearer ${test} x`,
    'Basic',
    'Basic !',
    `Digest ${test}`,
    '',
  ];
  const otherKeys = [callers.live.key, callers.other.key, `Bearer ${ledger}`, ...strangers];
  return {
    document: DOCUMENT,
    ids,
    keys: keys as Readonly<Record<string, string>>,
    ledger: keys.ledger,
    callers,
    otherKeys,
  };
}
