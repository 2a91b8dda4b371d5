/**
 * An ID of another organization or mode gets the same response as an unknown ID, in every place of
 * every operation that takes an ID. A write in one mode leaves the other mode as it is, even where
 * their IDs are equal. The test reads the places from the OpenAPI description, so it covers a new
 * operation without a change here.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { useService } from '../kit/setup.js';
import { post, type Reply, send } from '../support/client.js';
import {
  CASES,
  deletedLast,
  ID,
  type Ids,
  isOfApi,
  OPERATIONS,
  type Operation,
  type Place,
} from '../support/operations-with-ids.js';
import { expectBalanced } from '../support/reconciled.js';
import { Shop, type Twin } from '../support/shop.js';
import { createTenant, type Tenant } from '../support/tenants.js';
import { deliver } from '../support/webhooks.js';

// The service has no pages to read without a public URL.
const service = useService({ config: { publicUrl: 'https://pay.example' } });
let twin: Twin;
let owner: Shop;
let stranger: Tenant;
/** The owner's resources in test mode have one ID for each kind. */
let owned: Ids;

beforeAll(async () => {
  twin = await Shop.openTwin(service);
  owner = twin.test;
  stranger = await createTenant(service);
  owned = await makeResources();
});

/** Makes the resources that the examples of the description cannot make. */
async function makeMoney(): Promise<Ids> {
  const { id: session, amount_total: amount } = (await owner.createSession()).body;
  const payment = await owner.capture({ checkout_session: session, amount });
  const refund = (await owner.propose(payment, 100)).body.id;
  const hold = (await owner.hold(payment, { amount: 100 })).body.id;
  return { org: owner.organization, cs: session, pay: payment, re: refund, hold };
}

/**
 * Makes one resource of every kind that an operation takes, with the examples of the description
 * where they suffice.
 */
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
  // The ledger has endpoints of its own, which are of the same kind as a merchant's.
  ids['ledger we'] = (
    await owner.ledgerPost('/ledger/v1/webhook_endpoints', {
      url: 'https://ledger.example/',
      events: ['*'],
    })
  ).body.id;
  return ids;
}

/** Sends the operation with these IDs, by default as the owner and its ledger. */
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
  // The test moves its clock by a day, so the instant of the example is in the past.
  const ahead =
    body && 'until' in body ? { until: Math.floor(Date.now() / 1000) + 20 * 86_400 } : {};
  return post(url, {
    key,
    body: body && { ...body, ...ahead, ...Object.fromEntries(values('body')) },
  });
}

/** Returns all that a caller sees, without the parts that name this request or this resource. */
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

/** Returns the same IDs, in the other mode where an ID names its mode. */
const crossed = (ids: Ids): Ids =>
  Object.fromEntries(
    Object.entries(ids).map(([kind, id]) => [kind, id.replace('_test_', '_live_')]),
  );

test.each(deletedLast(CASES))(
  "$named gets for a foreign ID what an unknown one gets, and for the owner's something else",
  async ({ operation, place: { in: where, kind, unknown } }) => {
    const { isLedger, method, places } = operation;
    const idIn = (ids: Ids) => (isLedger && ids[`ledger ${kind}`]) || (ids[kind] as string);
    const answer = async (ids: Ids, key?: string) =>
      seen(await ask(operation, ids, key), idIn(ids));
    const nothing = (ids: Ids): Ids => ({ ...ids, [kind]: unknown, [`ledger ${kind}`]: unknown });
    const other = isLedger ? twin.live.ledgerKey : twin.live.key;
    // An organization reads its resources by ID from either mode.
    const isRead = !isLedger && where === 'path' && method === 'GET';
    const strange: [ids: Ids, key: string][] = isRead ? [] : [[owned, other]];
    if (crossed(owned)[kind] !== owned[kind]) strange.push([crossed(owned), other]);
    if (!isLedger) strange.push([owned, stranger.test], [owned, stranger.live]);
    // A ledger's operation that takes an organization finds only the resources of that
    // organization.
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

/**
 * Some operations change nothing on a resource that was just made, so these steps change its state
 * first.
 */
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
  // A ledger cannot say which of two organizations with the same IDs it means.
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
      WHERE table_schema = 'public' AND column_name = $1 AND table_name NOT IN ('api_keys', 'operator_events')`;
    tables = (await query(named, column)).rows.map(({ name }) => name);
    // Rows may then refer to rows that are copied later.
    await query('SET session_replication_role = replica');
  });

  /** Copies all rows for the other owner, and puts off their webhooks so that none is due. */
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

  /** Reads with all filters of the operation, and without them. */
  async function read(operation: Operation, made: Ids): Promise<string[]> {
    const all = { ...operation, places: operation.places.filter((place) => place.in === 'path') };
    const replies = [await ask(operation, made), await ask(all, made)];
    return replies.map(({ status, text }) => `${status} ${text.replace(/"now":\d+/, '')}`);
  }

  test.each(deletedLast(OPERATIONS.filter((one) => isOfApi(one) && isAsked(one))))(
    'is not touched or shown by $method $path',
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

  test('leaves the books balanced', () => expectBalanced(service));
});
