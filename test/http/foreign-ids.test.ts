/**
 * An ID of another organization gets the same response as an unknown ID, in every place of every operation that takes
 * an ID. The places come from the description, so a new operation is tested without a change here.
 */
import { beforeAll, expect, test } from '@jest/globals';
import { post, type Reply, send } from '../support/client.js';
import { DOCUMENT } from '../support/document.js';
import { createLedgerKey, createTenant, type Tenant } from '../support/service.js';
import { useService } from '../support/setup.js';
import { Shop } from '../support/shop.js';

// biome-ignore lint/suspicious/noExplicitAny: a document is walked by name; what is not there is undefined.
type Node = any;

const ID = /^([a-z]+)_(?:test_|live_)?[0-9a-hjkmnp-tv-z]{26}$/;
/** A cursor is a point in a list and nothing more; an organization is not a tenant's. */
const isNoResource = ({ name, kind }: Place) => name === 'cursor' || kind === 'org';

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly isLedger: boolean;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly places: readonly Place[];
}

/** A place for an identifier of a kind, and one that nobody has. */
interface Place {
  readonly in: 'path' | 'query' | 'body';
  readonly name: string;
  readonly kind: string;
  readonly unknown: string;
}

type Ids = Readonly<Record<string, string>>;

const resolved = (node: Node): Node =>
  node?.$ref === undefined
    ? node
    : node.$ref
        .slice(2)
        .split('/')
        .reduce((at: Node, name: string) => at[name], DOCUMENT);

const OPERATIONS: readonly Operation[] = Object.entries<Node>(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries<Node>(methods).map(([method, { parameters, requestBody }]) => {
    const { schema, examples = {} } = requestBody?.content['application/json'] ?? {};
    const fields = Object.entries<Node>(resolved(schema)?.properties ?? {});
    const given = [...parameters, ...fields.map(([name, field]) => ({ in: 'body', name, schema: resolved(field) }))];
    const places = given.flatMap(({ in: where, name, schema: { examples: [unknown] = [] } }) => {
      const kind = ID.exec(unknown)?.[1];
      return kind ? [{ in: where, name, kind, unknown }] : [];
    });
    const [body = requestBody && {}] = Object.values<Node>(examples).map(({ value }) => value);
    return { method: method.toUpperCase(), path, isLedger: path.startsWith('/ledger/'), body, places };
  }),
);

const CASES = OPERATIONS.flatMap((operation) =>
  operation.places
    .filter((place) => !isNoResource(place))
    .map((place) => ({ operation, place, named: `${operation.method} ${operation.path}: ${place.name}` })),
);

const isDelete = ({ operation }: (typeof CASES)[number]) => operation.method === 'DELETE';

// Without an address for customers there are no pages to read.
const service = useService({ config: { publicUrl: 'https://pay.example' } });
let owner: Shop;
let stranger: Tenant;
let otherLedger: string;
/** By kind, what the owner has. */
let owned: Ids;

beforeAll(async () => {
  owner = await Shop.open(service);
  stranger = await createTenant(service);
  otherLedger = await createLedgerKey(service, 'live');
  owned = await makeResources();
});

/** One resource of every kind that an operation takes: of the oldest kinds by hand, and what the examples make. */
async function makeResources(): Promise<Ids> {
  const { id: session, amount_total: amount } = (await owner.createSession()).body;
  const payment = (await owner.record({ checkout_session: session, amount })).body.id;
  const refund = (await owner.propose(payment, 100)).body.id;
  const hold = (await owner.hold(payment, { amount: 100 })).body.id;
  const ids: Record<string, string> = { org: owner.organization, cs: session, pay: payment, re: refund, hold };
  const learn = ({ body }: Reply) => {
    const id = body?.id ?? body?.data?.[0]?.id;
    const kind = ID.exec(id)?.[1];
    if (kind !== undefined) ids[kind] ??= id;
  };
  for (const operation of OPERATIONS.filter(({ method }) => method === 'POST')) {
    const isMissing = CASES.some(({ place }) => ids[place.kind] === undefined);
    if (isMissing && operation.body && operation.places.every(({ kind }) => ids[kind]))
      learn(await ask(operation, ids));
  }
  for (const operation of OPERATIONS.filter(({ method, path }) => method === 'GET' && !path.includes('{')))
    if (/^\/(ledger\/)?v1\//.test(operation.path)) learn(await ask({ ...operation, places: [] }, ids));
  // The ledger has endpoints of its own, of the same kind as a merchant's.
  ids['ledger we'] = (
    await owner.ledgerPost('/ledger/v1/webhook_endpoints', { url: 'https://ledger.example/', events: ['*'] })
  ).body.id;
  return ids;
}

/** The operation on these; by default as the owner and its ledger. */
async function ask({ method, path, isLedger, body, places }: Operation, ids: Ids, as?: string): Promise<Reply> {
  const at = (where: Place['in']) => places.filter((place) => place.in === where && place.name !== 'cursor');
  const values = (where: Place['in']) => at(where).map(({ name, kind }) => [name, idOf(ids, kind)] as const);
  const idOf = (known: Ids, kind: string) => known[isLedger ? `ledger ${kind}` : kind] ?? (known[kind] as string);
  const filled = values('path').reduce((url, [name, id]) => url.replace(`{${name}}`, id), path);
  const query = new URLSearchParams(Object.fromEntries(values('query')));
  const url = `${service.url}${filled}${query.size > 0 ? `?${query}` : ''}`;
  const key = as ?? (isLedger ? owner.ledgerKey : owner.key);
  if (method !== 'POST') return send(method, url, { key });
  return post(url, { key, body: body && { ...body, ...Object.fromEntries(values('body')) } });
}

/** All that a caller sees, but for what names this one request and this one resource. */
function seen({ status, headers, text, body }: Reply, id: string): unknown {
  const rest = [...headers].filter(([name]) => !['request-id', 'date', 'content-length'].includes(name));
  const own = [body?.request_id, id].filter(Boolean);
  return { status, headers: rest, text: own.reduce((left, word) => left.replaceAll(word, '…'), text) };
}

test('the owner has a resource of every kind that an operation takes', () => {
  const kinds = new Set(CASES.map(({ place }) => place.kind));
  expect([...kinds].filter((kind) => owned[kind] === undefined)).toEqual([]);
  expect(CASES.length).toBeGreaterThan(25);
});

test.each(CASES)('$named, by another organization', async ({ operation, place: { kind, unknown } }) => {
  const mine = { ...owned, org: stranger.organization };
  const strange: [ids: Ids, key: string][] = operation.isLedger
    ? [[owned, otherLedger]]
    : [
        [owned, stranger.test],
        [owned, stranger.live],
      ];
  // The ledger's operations that take an organization keep to it.
  if (operation.isLedger && operation.places.some((place) => place.kind === 'org'))
    strange.push([mine, owner.ledgerKey]);
  for (const [ids, key] of strange) {
    const reply = await ask(operation, ids, key);
    const nothing = await ask(operation, { ...ids, [kind]: unknown, [`ledger ${kind}`]: unknown }, key);
    expect(seen(reply, (operation.isLedger && ids[`ledger ${kind}`]) || (ids[kind] as string))).toEqual(
      seen(nothing, unknown),
    );
  }
});

/** Deletions come last. */
const DELETED_LAST = CASES.toSorted((one, other) => Number(isDelete(one)) - Number(isDelete(other)));

test.each(DELETED_LAST)(
  '$named, by its owner, gets another response',
  async ({ operation, place: { kind, unknown } }) => {
    const reply = await ask(operation, owned);
    expect(reply.status).not.toBe(404);
    expect(reply.status).toBeLessThan(500);
    const nothing = await ask(operation, { ...owned, [kind]: unknown, [`ledger ${kind}`]: unknown });
    expect(seen(reply, (operation.isLedger && owned[`ledger ${kind}`]) || (owned[kind] as string))).not.toEqual(
      seen(nothing, unknown),
    );
  },
);
