/** Each error example of the description is provoked: the service responds exactly so. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { type Reply, SMALLEST, send } from '../support/client.js';
import { TestClock } from '../support/clock.js';
import { DOCUMENT } from '../support/document.js';
import { Holder } from '../support/holder.js';
import { head, sendBytes } from '../support/raw.js';
import { useService, useShop } from '../support/setup.js';

// biome-ignore lint/suspicious/noExplicitAny: the document is walked by name.
type Node = any;

const SESSIONS = '/v1/checkout_sessions';
const REFUNDS = '/v1/refunds';
/** The one that the example names. */
const REQUESTS_A_SECOND = 100;
const WRITTEN: Node = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));

const clock = new TestClock();
const service = useService({ clock, config: { rateLimitRps: REQUESTS_A_SECOND } });
const shop = useShop(service, {}, beforeAll);
let holder: Holder;

beforeAll(async () => {
  holder = await Holder.connect(service.databaseUrl);
});
beforeEach(() => clock.advance(1000));
afterEach(removeEndpoints);
afterAll(() => holder.end());

/** An operation with what its requests need: identifiers of nothing, and the bodies that the description shows. */
interface Operation {
  readonly method: string;
  readonly path: string;
  readonly node: Node;
}
interface Change {
  readonly id?: string;
  readonly query?: Record<string, string>;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly key?: string;
  readonly idempotencyKey?: string | undefined;
}

function call({ method, path, node }: Operation, change: Change = {}): Promise<Reply> {
  const parameters: Node[] = node.parameters;
  const given = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema?.examples?.[0]]));
  const isOwned = parameters.some(({ name, required }) => name === 'organization' && required);
  const query = new URLSearchParams(change.query ?? (isOwned ? { organization: shop.organization } : {}));
  const isWrite = method === 'POST';
  const url = `${service.url}${path.replace('{id}', change.id ?? given.id)}${query.size > 0 ? `?${query}` : ''}`;
  return send(method, url, {
    key: path.startsWith('/ledger/') ? shop.ledgerKey : shop.key,
    ...(isWrite && { idempotencyKey: randomUUID(), body: exampleOf(node) }),
    ...change,
  });
}

function exampleOf(node: Node): Node {
  const { examples = {} } = node.requestBody?.content['application/json'] ?? {};
  const shown = Object.values<Node>(examples)[0]?.value ?? {};
  return 'organization' in shown ? { ...shown, organization: shop.organization } : shown;
}

const hasParameter = ({ node }: Operation, given: string): boolean =>
  node.parameters.some(({ name }: Node) => name === given);

function hasFields({ node }: Operation): boolean {
  const { $ref } = node.requestBody.content['application/json'].schema;
  return Object.keys(DOCUMENT.components.schemas[$ref.split('/').at(-1)].properties).length > 0;
}

const isRequired = ({ node }: Operation): boolean =>
  node.parameters.some(({ name, required }: Node) => name === 'Idempotency-Key' && required);

/** At an address that refuses at once what is sent there to test it. */
function endpointOn(path: string): Promise<Reply> {
  const body = { url: 'https://localhost:40001/' };
  return path.startsWith('/ledger/')
    ? shop.ledgerPost('/ledger/v1/webhook_endpoints', body)
    : shop.post('/v1/webhook_endpoints', body);
}

async function anEvent(): Promise<Reply> {
  const { body } = await shop.createSession();
  const events = await shop.get(`/v1/events?object=${body.id}`);
  return { ...events, body: events.body.data[0] };
}

async function removeEndpoints(): Promise<void> {
  await service.sql.query('DELETE FROM webhook_endpoints');
  await service.sql.query('DELETE FROM ledger_webhook_endpoints');
}

/** A resource of the kind that the path names. */
async function made(path: string): Promise<Reply> {
  if (path.includes('sessions')) return shop.createSession();
  if (path.includes('webhook_endpoints')) return endpointOn(path);
  if (path.includes('events')) return anEvent();
  const payment = await shop.record();
  if (path.startsWith('/ledger/v1/holds')) return shop.hold(payment.body.id, { amount: 1 });
  return path.includes('refunds') ? shop.propose(payment.body.id, 500) : payment;
}

/** A resource that the operation changes, as it must be to be refused, or just made. */
async function target({ path }: Operation, change: (id: string) => Promise<unknown> = async () => undefined) {
  const { id } = (await made(path)).body;
  await change(id);
  return id as string;
}

async function paymentWith(left: number): Promise<string> {
  const { id } = (await shop.record()).body;
  await shop.propose(id, 5000 - left);
  return id;
}

const session = async () => (await shop.createSession(exampleOf(DOCUMENT.paths[SESSIONS].post))).body.id as string;
const recording = (facts: object) => shop.record(facts as Record<string, unknown>);

const PROVOKED: Readonly<Record<string, (operation: Operation) => Promise<Reply>>> = {
  idempotency_key: (it) => call(it, { idempotencyKey: isRequired(it) ? undefined : '""' }),
  malformed_id: (it) => call(it, { id: 'malformed' }),
  malformed_cursor: async (it) =>
    call(it, { query: { cursor: 'malformed' }, ...(it.path.includes('{id}') && { id: await target(it) }) }),
  query: (it) => call(it, { query: hasParameter(it, 'limit') ? { limit: '0' } : {} }),
  body: (it) => call(it, { body: hasFields(it) ? {} : { unknown: true } }),
  host: ({ method, path }) => sendBytes(service.url, head(`${method} ${path} HTTP/1.1`)),
  not_found: (it) => {
    if (it.path.endsWith('/clock')) return call(it, { key: shop.tenant.live });
    return it.path.endsWith('/payments') ? recording({ checkout_session: idExample('cs') }) : call(it);
  },
  idempotency_key_reused: async (it) => {
    const idempotencyKey = randomUUID();
    const hasTarget = it.path.includes('{id}');
    await call(it, { idempotencyKey, ...(hasTarget && { id: await target(it) }) });
    const changed = hasTarget ? { id: await target(it) } : { body: other(exampleOf(it.node)) };
    return call(it, { idempotencyKey, ...changed });
  },
  session_not_open: async (it) => {
    const id = await session();
    if (it.path.endsWith('/expire')) await recording({ checkout_session: id });
    else await shop.expire(id);
    return it.path.endsWith('/expire') ? shop.expire(id) : recording({ checkout_session: id });
  },
  refund_not_pending: async (it) => {
    const settle = (id: string) => (it.path.endsWith('/cancel') ? shop.succeed(id) : shop.cancel(id));
    return call(it, { id: await target(it, settle) });
  },
  refund_exceeds_remaining: async () => shop.propose(await paymentWith(500), 501),
  refund_in_progress: async (it) => call(it, { id: await target(it, () => shop.claim({ limit: 100 })) }),
  refund_claimed: async (it) => {
    const id = await target(it, () => shop.claim({ limit: 100 }));
    await service.sql.query('UPDATE refunds SET claim_number = claim_number + 1 WHERE id = $1', [uuidOf(id)]);
    return call(it, { id, body: { claim: 1 } });
  },
  refund_not_succeeded: async (it) => call(it, { id: await target(it) }),
  payment_required: async (it) => call(it, { id: await session() }),
  hold_exceeds_remaining: async () => shop.hold(await paymentWith(500), { amount: 501 }),
  payment_not_refundable: async ({ path }) =>
    path.endsWith('/holds') ? shop.hold(await paymentWith(0)) : shop.propose(await paymentWith(0), 500),
  webhook_endpoint_limit: async (it) => {
    for (let created = 0; created < 16; created++) await endpointOn(it.path);
    return call(it).finally(removeEndpoints);
  },
  resend_limit: async (it) => {
    const { id } = (await shop.createSession({ ...SMALLEST, notify_url: 'https://shop.example/webhooks' })).body;
    const event = (await shop.get(`/v1/events?object=${id}`)).body.data[0].id;
    await service.sql.query('UPDATE webhook_deliveries SET attempts = 100 WHERE event_id = $1', [uuidOf(event)]);
    return call(it, { id: event });
  },
  payment_session_mismatch: async () => recording({ checkout_session: await session(), amount: 4999 }),
  refund_reference_reused: async () => {
    const [payment, reference] = [(await shop.record()).body.id, 'return-4711'];
    await shop.post(REFUNDS, { payment, amount: 500, reference });
    return shop.post(REFUNDS, { payment, amount: 499, reference });
  },
  payment_reference_reused: async () => {
    const reference = randomUUID();
    await recording({ reference });
    return recording({ reference, amount: 4999 });
  },
};

const LIST: Operation = { method: 'GET', path: REFUNDS, node: DOCUMENT.paths[REFUNDS].get };
const CREATE: Operation = { method: 'POST', path: SESSIONS, node: DOCUMENT.paths[SESSIONS].post };

/** Refusals that all operations share. */
const PROVOKED_ANYWHERE: Readonly<Record<string, () => Promise<Reply>>> = {
  InvalidApiKey: () => call(LIST, { key: 'wrong' }),
  OriginNotAllowed: () => call(LIST, { headers: { origin: 'https://evil.example' } }),
  RateLimited: async () => {
    for (let spent = 0; spent < REQUESTS_A_SECOND; spent++) await shop.get(SESSIONS);
    return call(LIST);
  },
  PayloadTooLarge: () => call(CREATE, { body: 'x'.repeat(256 * 1024 + 1) }),
  UnsupportedMediaType: () => call(CREATE, { headers: { 'content-type': 'text/plain' } }),
  IdempotencyKeyInUse: async () => {
    const idempotencyKey = randomUUID();
    await call(CREATE, { idempotencyKey });
    await holder.holdKey(idempotencyKey);
    return call(CREATE, { idempotencyKey }).finally(() => holder.release());
  },
  InternalError: async () => {
    await service.sql.query('ALTER TABLE refunds RENAME TO elsewhere');
    return call(LIST).finally(() => service.sql.query('ALTER TABLE elsewhere RENAME TO refunds'));
  },
  ServiceUnavailable: async () => {
    await holder.holdTable('refunds');
    return call(LIST).finally(() => holder.release());
  },
};

const idExample = (prefix: string) => `${prefix}_test_01kaf3v7q4e8yt5w6z9x2c1b0n`;

/** A body that means something else. */
function other(body: Node): Node {
  if ('advance_seconds' in body) return { advance_seconds: 1 };
  return 'amount' in body ? { ...body, amount: 1 } : { ...body, description: 'Another' };
}

/** Any identifier is as good as another. */
const withoutIds = (value: Node): Node => JSON.parse(JSON.stringify(value).replaceAll(/_[0-7][0-9a-z]{25}\b/g, '_…'));

const examplesOf = (response: Node) => Object.entries<Node>(response.content?.['application/json']?.examples ?? {});

const OPERATIONS: readonly Operation[] = Object.entries<Node>(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries<Node>(methods).map(([method, node]) => ({ method: method.toUpperCase(), path, node })),
);

/** Where what all operations refuse alike can be asked for. */
const APPLIES: Readonly<Record<string, (operation: Operation) => boolean>> = {
  idempotency_key: (it) => hasParameter(it, 'Idempotency-Key'),
  malformed_id: (it) => hasParameter(it, 'id'),
  malformed_cursor: (it) => hasParameter(it, 'cursor'),
  query: (it) => hasParameter(it, 'limit'),
  body: ({ node }) => node.requestBody !== undefined && node.requestBody.required !== false,
  host: (it) => it.method === 'GET' && (it.node.security.length === 0 || it.path.endsWith('/clock')),
  not_found: (it) => hasParameter(it, 'id'),
  idempotency_key_reused: (it) => hasParameter(it, 'Idempotency-Key'),
};

const SHOWN = OPERATIONS.flatMap((operation) =>
  Object.entries<Node>(operation.node.responses).flatMap(([status, response]) => {
    const { $ref } = WRITTEN.paths[operation.path][operation.method.toLowerCase()].responses[status];
    return examplesOf(response)
      .filter(([name, { value }]) => value.error && PROVOKED[name] && (APPLIES[name]?.(operation) ?? !$ref))
      .map(([name, { value }]) => ({ operation, name, where: `${operation.node.operationId} ${name}`, ...value }));
  }),
);

/** The operation for which a shared example was made. */
const FIRST = new Map(SHOWN.toReversed().map(({ name, operation }) => [name, operation]));

test.each(SHOWN)('$where', async ({ operation, name, error }) => {
  const { body } = (await PROVOKED[name]?.(operation)) ?? {};
  if (!APPLIES[name] || FIRST.get(name) === operation)
    return expect(withoutIds(body?.error)).toEqual(withoutIds(error));
  expect(body?.error).toMatchObject({ type: error.type, code: error.code });
});

const SHARED = Object.entries<Node>(DOCUMENT.components.responses).flatMap(([where, response]) =>
  examplesOf(response)
    .filter(([name]) => !PROVOKED[name])
    .map(([, { value }]) => ({ where, error: value.error })),
);

test.each(SHARED)('$where', async ({ where, error: { next_step, ...error } }) => {
  const { body } = (await PROVOKED_ANYWHERE[where]?.()) ?? {};
  expect(body?.error).toMatchObject({ ...error, next_step: { type: next_step.type } });
});

test('every code that there is has an example', () => {
  const { code } = DOCUMENT.components.schemas.Error.properties.error.properties;
  const shown = [...SHOWN, ...SHARED].map(({ error }) => error.code);
  // Fastify's router answers another method, not an operation.
  expect([...new Set([...shown, 'method_not_allowed'])].sort()).toEqual([...code.enum].sort());
});
