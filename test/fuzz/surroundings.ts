/**
 * Makes two organizations with resources of every kind and keys of every kind, as operators and
 * callers make them.
 */
import { get, post } from '../support/client.js';
import { DOCUMENT } from '../support/document.js';
import { openAccount, tillgate } from '../support/processes.js';

const OF_EACH = 4;
const PRICE = { currency: 'usd', unit_amount: 1000, product_data: { name: 'Book' } };

export type Surroundings = Awaited<ReturnType<typeof prepare>>;

export async function prepare(url: string, databaseUrl: string) {
  const [own, other] = [
    await openAccount(databaseUrl, 'Own'),
    await openAccount(databaseUrl, 'Other'),
  ];
  const live = await tillgate(databaseUrl, [
    'key',
    'create',
    '--mode',
    'live',
    '--org',
    own.organization,
  ]);
  const ids: Record<string, string[]> = {
    org: [own.organization, other.organization],
    cs: [],
    pay: [],
    re: [],
    evt: [],
  };
  for (const { key: secretKey, ledgerKey, organization } of [own, other]) {
    const made = async (path: string, body: object): Promise<string> => {
      const key = path.startsWith('/ledger') ? ledgerKey : secretKey;
      const { id } = (await post<{ id: string }>(url + path, { key, body })).body;
      ids[id.split('_')[0] as string]?.push(id);
      return id;
    };
    for (let each = 0; each < OF_EACH; each++) {
      const payment = await made('/ledger/v1/payments', {
        organization,
        amount: 1_000_000,
        currency: 'usd',
      });
      const session = await made('/v1/checkout_sessions', {
        currency: 'usd',
        line_items: [{ price_data: PRICE }],
      });
      await made('/v1/refunds', { payment, amount: 1 });
      const { data } = (await get(`${url}/v1/events?object=${session}`, { key: secretKey })).body;
      ids.evt?.push(data[0].id);
    }
  }
  const strangers = [
    'Bearer',
    'Bearer x',
    `Bearer ${own.key}x`,
    `Bearer ${own.key} x`,
    'Basic',
    'Basic !',
    `Digest ${own.key}`,
    '',
  ];
  const keys: Readonly<Record<string, string>> = {
    v1: `Bearer ${own.key}`,
    ledger: `Basic ${Buffer.from(`${own.ledgerKey}:`).toString('base64')}`,
  };
  const foreign = [live.key, other.key, own.ledgerKey].map((key) => `Bearer ${key}`);
  return { document: DOCUMENT, ids, keys, otherKeys: [...foreign, ...strangers] };
}
