/** Keys of one surface are refused on the others, on every route and in both modes. */
import { beforeAll, expect, test } from '@jest/globals';
import { ManageApiKeys } from '../../src/modules/access/index.js';
import { useService } from '../kit/setup.js';
import { send } from '../support/client.js';
import { DOCUMENT } from '../support/document.js';
import { refusal } from '../support/envelope.js';
import { Shop } from '../support/shop.js';
import { createKey, createLedgerKey, createOperatorKey } from '../support/tenants.js';

const service = useService();
let shop: Shop;
let operator: string;
/** Without rights. */
let restricted: string;

beforeAll(async () => {
  shop = await Shop.open(service);
  operator = await createOperatorKey(service);
  const { organization } = shop;
  const terms = { kind: 'restricted', mode: 'test', organization } as const;
  restricted = (await service.application.get(ManageApiKeys).create(terms)).token;
});

const { paths } = DOCUMENT;

/** Every operation that needs a key, with the example of its ID. */
const OPERATIONS = Object.keys(paths).flatMap((path) =>
  Object.entries<Operation>(paths[path])
    .filter(([, { security }]) => security.length > 0 && !path.startsWith('/metrics'))
    .map(([method, { parameters }]): [string, string] => {
      const id = parameters.find(({ name }) => name === 'id')?.schema?.examples[0];
      return [method.toUpperCase(), path.replace('{id}', String(id))];
    }),
);

interface Operation {
  readonly security: readonly object[];
  readonly parameters: readonly {
    readonly name?: string;
    readonly schema?: { readonly examples: readonly string[] };
  }[];
}

test.each(OPERATIONS)('%s %s is for keys of its surface only', async (method, path) => {
  const body = method === 'POST' ? {} : undefined;
  const ask = (key: string | undefined) => send(method, service.url + path, { key, body, idempotencyKey: 'surface' });
  const secrets = [shop.tenant.test, await createKey(service, { organization: shop.organization, mode: 'live' })];
  const ledgers = [shop.ledgerKey, await createLedgerKey(service, 'live')];
  const keys = { secret: [...secrets, restricted], ledger: ledgers, operator: [operator], none: [undefined] };
  const [, surface = 'secret'] = /^\/(ledger|operator)\//.exec(path) ?? [];
  expect((await ask(keys[surface as keyof typeof keys][0])).status).not.toBe(401);
  const others = Object.entries(keys).filter(([name]) => name !== surface);
  for (const key of others.flatMap(([, found]) => found)) {
    const refused = await ask(key);
    expect(refused.status).toBe(401);
    const next = { type: 'authenticate', path, method };
    expect(refused.body).toEqual(refusal('invalid_api_key', next, [{ param: 'Authorization', code: 'invalid_value' }]));
    expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer/);
  }
});

const READS_BY_ID = Object.keys(paths).filter((path) => paths[path].get && path.includes('{id}'));

test.each(READS_BY_ID)(
  'GET %s refuses unknown query parameters, and a malformed ID leads to the list',
  async (path) => {
    const key = path.startsWith('/operator/') ? operator : path.startsWith('/ledger/') ? shop.ledgerKey : shop.key;
    const read = (id: string, query: object) => {
      const address = new URL(service.url + path.replace('{id}', id));
      address.search = String(new URLSearchParams({ ...query }));
      return send('GET', address.href, { key });
    };
    const [{ schema }, { name }] = paths[path].get.parameters;
    const given = name === 'organization' ? { organization: shop.organization } : {};
    const unknown = await read(schema.examples[0], { ...given, colour: 'red' });
    const errors = [{ param: 'colour', code: 'unknown_field' }];
    const itself = path.replace('{id}', schema.examples[0]);
    const fix = (at: string) => ({ type: 'fix_request', path: at, method: 'GET' });
    expect(unknown.body).toEqual(refusal('invalid_param', fix(itself), errors));
    const malformed = await read('malformed', given);
    const ofPath = path.slice(0, path.indexOf('/{id}'));
    // The ledger has no list of sessions.
    const list = paths[ofPath]?.get ? ofPath : '/ledger/v1/events';
    expect(malformed.body).toEqual(refusal('invalid_param', fix(list), [{ param: 'id', code: 'invalid_format' }]));
    expect([unknown.status, malformed.status]).toEqual([400, 400]);
  },
);
