/**
 * An ID of another organization or of the other mode gets the same response as an unknown ID, in every place of every operation
 * that takes an ID, and what is done in one mode leaves the other as it is, though their IDs are equal. The places come from the
 * description, so a new operation is tested without a change here.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { useService } from '../kit/setup.js';
import { post, type Reply, send } from '../support/client.js';
import { DOCUMENT } from '../support/document.js';
import { expectBalanced } from '../support/reconciled.js';
import { Shop, type Twin } from '../support/shop.js';
import { createTenant, type Tenant } from '../support/tenants.js';
import { deliver } from '../support/webhooks.js';

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

/** Without the operator's, whose key acts on every organization. */
const PATHS = Object.entries<Node>(DOCUMENT.paths).filter(
  ([path]) => !path.startsWith('/operator/'),
);
const OPERATIONS: readonly Operation[] = PATHS.flatMap(([path, methods]) =>
  Object.entries<Node>(methods).map(([method, { parameters, requestBody }]) => {
    const { schema, examples = {} } = requestBody?.content['application/json'] ?? {};
    const fields = Object.entries<Node>(resolved(schema)?.properties ?? {});
    const given = [
      ...parameters,
      ...fields.map(([name, field]) => ({ in: 'body', name, schema: resolved(field) })),
    ];
    const places = given.flatMap(({ in: where, name, schema: { examples: [unknown] = [] } }) => {
      const kind = ID.exec(unknown)?.[1];
      return kind ? [{ in: where, name, kind, unknown }] : [];
    });
    const [body = requestBody && {}] = Object.values<Node>(examples).map(({ value }) => value);
    return {
      method: method.toUpperCase(),
      path,
      isLedger: path.startsWith('/ledger/'),
      body,
      places,
    };
  }),
);

const CASES = OPERATIONS.flatMap((operation) =>
  operation.places
    .filter((place) => !isNoResource(place))
    .map((place) => ({
      operation,
      place,
      method: operation.method,
      named: `${operation.method} ${operation.path}: ${place.name}`,
    })),
);

const isOfApi = ({ path }: Operation) => /^\/(ledger\/)?v1\//.test(path);

/** Deletions come last. */
function deletedLast<Case extends { readonly method: string }>(cases: readonly Case[]): Case[] {
  return cases.toSorted(
    (one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'),
  );
}

// Without an address for customers there are no pages to read.
const service = useService({ config: { publicUrl: 'https://pay.example' } });
let twin: Twin;
let owner: Shop;
let stranger: Tenant;
/** By kind, what the owner has in test mode. */
let owned: Ids;

beforeAll(async () => {
  twin = await Shop.openTwin(service);
  owner = twin.test;
  stranger = await createTenant(service);
  owned = await makeResources();
});

/** The oldest kinds. */
async function makeMoney(): Promise<Ids> {
  const { id: session, amount_total: amount } = (await owner.createSession()).body;
  const payment = await owner.capture({ checkout_session: session, amount });
  const refund = (await owner.propose(payment, 100)).body.id;
  const hold = (await owner.hold(payment, { amount: 100 })).body.id;
  return { org: owner.organization, cs: session, pay: payment, re: refund, hold };
}

/** One resource of every kind that an operation takes: of the oldest kinds by hand, and what the examples make. */
async function makeResources(): Promise<Ids> {
  const ids: Record<string, string> = { ...(await makeMoney()) };
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
  for (const operation of OPERATIONS.filter(
    ({ method, path }) => method === 'GET' && !path.includes('{'),
  ))
    if (isOfApi(operation)) learn(await ask({ ...operation, places: [] }, ids));
  // The ledger has endpoints of its own, of the same kind as a merchant's.
  ids['ledger we'] = (
    await owner.ledgerPost('/ledger/v1/webhook_endpoints', {
      url: 'https://ledger.example/',
      events: ['*'],
    })
  ).body.id;
  return ids;
}

/** The operation on these; by default as the owner and its ledger. */
async function ask(
  { method, path, isLedger, body, places }: Operation,
  ids: Ids,
  as?: string,
): Promise<Reply> {
  const at = (where: Place['in']) =>
    places.filter((place) => place.in === where && place.name !== 'cursor');
  const values = (where: Place['in']) =>
    at(where).map(({ name, kind }) => [name, idOf(ids, kind)] as const);
  const idOf = (known: Ids, kind: string) =>
    known[isLedger ? `ledger ${kind}` : kind] ?? (known[kind] as string);
  const filled = values('path').reduce((url, [name, id]) => url.replace(`{${name}}`, id), path);
  const query = new URLSearchParams(Object.fromEntries(values('query')));
  const url = `${service.url}${filled}${query.size > 0 ? `?${query}` : ''}`;
  const key = as ?? (isLedger ? owner.ledgerKey : owner.key);
  if (method !== 'POST') return send(method, url, { key });
  // The example's instant is in the past of those who run this test, whose clock is moved by a day.
  const ahead =
    body && 'until' in body ? { until: Math.floor(Date.now() / 1000) + 20 * 86_400 } : {};
  return post(url, {
    key,
    body: body && { ...body, ...ahead, ...Object.fromEntries(values('body')) },
  });
}

/** All that a caller sees, but for what names this one request and this one resource. */
function seen({ status, headers, text, body }: Reply, id: string): unknown {
  const rest = [...headers].filter(
    ([name]) => !['request-id', 'date', 'content-length'].includes(name),
  );
  const own = [body?.request_id, id].filter(Boolean);
  return {
    status,
    headers: rest,
    text: own.reduce((left, word) => left.replaceAll(word, '…'), text),
  };
}

test('the owner has a resource of every kind that an operation takes', () => {
  const kinds = new Set(CASES.map(({ place }) => place.kind));
  expect([...kinds].filter((kind) => owned[kind] === undefined)).toEqual([]);
  expect(CASES.length).toBeGreaterThan(25);
});

/** The IDs as the other mode would have them, of those that name their mode. */
const crossed = (ids: Ids): Ids =>
  Object.fromEntries(
    Object.entries(ids).map(([kind, id]) => [kind, id.replace('_test_', '_live_')]),
  );

test.each(deletedLast(CASES))(
  '$named, by another organization or mode, gets what an unknown one gets, and by its owner something else',
  async ({ operation, place: { in: where, kind, unknown } }) => {
    const { isLedger, method, places } = operation;
    const idIn = (ids: Ids) => (isLedger && ids[`ledger ${kind}`]) || (ids[kind] as string);
    const answer = async (ids: Ids, key?: string) =>
      seen(await ask(operation, ids, key), idIn(ids));
    const nothing = (ids: Ids): Ids => ({ ...ids, [kind]: unknown, [`ledger ${kind}`]: unknown });
    const other = isLedger ? twin.live.ledgerKey : twin.live.key;
    // An organization reads by ID what it has in either mode.
    const isRead = !isLedger && where === 'path' && method === 'GET';
    const strange: [ids: Ids, key: string][] = isRead ? [] : [[owned, other]];
    if (crossed(owned)[kind] !== owned[kind]) strange.push([crossed(owned), other]);
    if (!isLedger) strange.push([owned, stranger.test], [owned, stranger.live]);
    // The ledger's operations that take an organization keep to it.
    if (isLedger && places.some((place) => place.kind === 'org'))
      strange.push([{ ...owned, org: stranger.organization }, owner.ledgerKey]);
    for (const [ids, key] of strange)
      expect(await answer(ids, key)).toEqual(await answer(nothing(ids), key));
    const reply = await ask(operation, owned);
    expect(reply.status).not.toBe(404);
    expect(reply.status).toBeLessThan(500);
    expect(seen(reply, idIn(owned))).not.toEqual(await answer(nothing(owned)));
  },
);

/** Some operations do nothing with what is just made. */
const STATES: readonly ((made: Ids) => Promise<Ids>)[] = [
  async () => ({}),
  async () => owner.claim({ limit: 100 }).then(() => ({})),
  async ({ re = '' }) => owner.succeed(re).then(() => ({})),
  async () => {
    const create = OPERATIONS.find(
      ({ method, path }) => method === 'POST' && path === '/v1/checkout_sessions',
    );
    return {
      cs: (await owner.createSession(create?.body)).body.id,
      pay: await owner.capture({ amount: 9000 }),
    };
  },
];

describe.each<[column: string, both: () => string[], isAsked: (operation: Operation) => boolean]>([
  // An event is found by its ID in either mode.
  ['mode', () => ['test', 'live'], ({ places }) => !places.some(({ kind }) => kind === 'evt')],
  // Of two organizations with the same IDs, a ledger cannot say which one it means.
  [
    'organization_id',
    () => [owner, { organization: stranger.organization }].map((one) => uuidOf(one.organization)),
    ({ isLedger }) => !isLedger,
  ],
])('another %s with the same IDs', (column, both, isAsked) => {
  const query = (text: string, ...values: string[]) => service.sql.query(text, values);
  let [own, theirs] = ['', ''];
  let ids: Ids;
  let tables: readonly string[];

  beforeAll(async () => {
    [own = '', theirs = ''] = both();
    ids = await makeResources();
    await deliver(service);
    const named = `SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = $1 AND table_name <> 'api_keys'`;
    tables = (await query(named, column)).rows.map(({ name }) => name);
    // References may point at rows that come later.
    await query('SET session_replication_role = replica');
  });

  /** All that there is becomes theirs too. No webhook is due meanwhile. */
  async function copy(): Promise<void> {
    await query('BEGIN');
    for (const table of tables) {
      const copied = `(jsonb_populate_record(row, jsonb_build_object('${column}', '${theirs}'))).*`;
      await query(
        `INSERT INTO ${table} SELECT ${copied} FROM ${table} row WHERE ${column} = $1`,
        own,
      );
    }
    const later = `UPDATE webhook_deliveries SET next_attempt_at = now() + interval '10 days'`;
    await query(`${later} WHERE next_attempt_at IS NOT NULL`);
    await query('COMMIT');
  }

  async function rows(): Promise<unknown> {
    const each = tables.map(
      (table) => `SELECT '${table}', row::text FROM ${table} row WHERE ${column} = $1`,
    );
    return (await query(`${each.join(' UNION ALL ')} ORDER BY 1, 2`, theirs)).rows;
  }

  /** With all that it is filtered by, and without. */
  async function read(operation: Operation, made: Ids): Promise<string[]> {
    const all = { ...operation, places: operation.places.filter((place) => place.in === 'path') };
    const replies = [await ask(operation, made), await ask(all, made)];
    return replies.map(({ status, text }) => `${status} ${text.replace(/"now":\d+/, '')}`);
  }

  test.each(deletedLast(OPERATIONS.filter((one) => isOfApi(one) && isAsked(one))))(
    'is none to $method $path',
    async (operation) => {
      const isRead = operation.method === 'GET';
      for (const make of isRead ? STATES.slice(0, 1) : STATES) {
        for (const table of tables)
          await query(`DELETE FROM ${table} WHERE ${column} = $1`, theirs);
        const fresh = isRead ? ids : { ...ids, ...(await makeMoney()) };
        const made = { ...fresh, ...(await make(fresh)) };
        const alone = isRead && (await read(operation, made));
        await copy();
        const before = await rows();
        const reply = !isRead && (await ask(operation, made));
        if (alone) expect(await read(operation, made)).toEqual(alone);
        if (reply) expect(reply.status).toBeLessThan(500);
        expect(await rows()).toEqual(before);
        if (reply && reply.status < 300) break;
      }
    },
  );

  test('is none to the books', () => expectBalanced(service));
});
