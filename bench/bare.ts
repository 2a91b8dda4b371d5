/**
 * The baseline has the same five operations on the same tables, written by hand and as small as
 * possible, with Fastify and pg only. Fastify validates by schemas, the owner of a key is cached,
 * and a write is one prepared statement. It does the same durable work (stored response, resource,
 * event, deliveries to webhook endpoints) and gives the same answers. So the difference is the cost
 * of the service's modules, guards, strict JSON, metrics, log and limits. It is no service, because
 * it refuses hardly any request.
 */

import { hash, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import canonicalize from 'canonicalize';
import { type FastifyReply, fastify } from 'fastify';
import { Pool, type QueryResult, types } from 'pg';
import { CHECKOUT_SESSION_ID } from '../src/modules/checkout/domain/checkout-session.js';
import { EVENT_ID } from '../src/modules/events/domain/event.js';
import { REFUND_ID } from '../src/modules/refunds/domain/refund-state.js';
import { createdAt, FIRST_UUID, idOf, newId, uuidOf } from '../src/shared/id.js';
import { DAY_SECONDS, type Line, priced, sessionOf, shown, stored } from './bare.bodies.js';
import { CREATE_SESSION, PROPOSE_REFUND, type SessionInput } from './bare.schemas.js';
import {
  ADD_REFUND,
  ADD_SESSION,
  FIND_KEPT,
  FIND_OWNER,
  FIND_PAYMENT,
  FIND_SESSION,
  LIST,
} from './bare.sql.js';

const KEY_TTL_MS = 4_000;
const PAGE = 25;

types.setTypeParser(types.builtins.INT8, Number);
const pool = new Pool({ connectionString: process.env.DATABASE_URL ?? '', max: 10 });
const app = fastify({
  logger: false,
  requestTimeout: 10_000,
  keepAliveTimeout: 65_000,
  genReqId: () => `req_${randomUUID()}`,
});

/** pool.query() would close the connection after every error. */
async function query(name: string, text: string, values: unknown[]): Promise<QueryResult> {
  const client = await pool.connect();
  try {
    return await client.query({ name, text, values });
  } finally {
    client.release();
  }
}

interface Owner {
  readonly organization: string;
  readonly mode: 'test' | 'live';
}

const owners = new Map<string, { since: number; owner: Owner }>();

async function ownerOf(authorization: string | undefined): Promise<Owner> {
  const token = (authorization ?? '').slice('Bearer '.length);
  const known = owners.get(token);
  if (known && Date.now() - known.since < KEY_TTL_MS) return known.owner;
  const { rows } = await query('find-owner', FIND_OWNER, [hash('sha256', token, 'buffer')]);
  if (rows.length === 0)
    throw Object.assign(new Error('A valid API key is needed.'), { statusCode: 401 });
  owners.set(token, { since: Date.now(), owner: rows[0] });
  return rows[0];
}

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  vary: 'Origin',
};

function send(reply: FastifyReply, status: number, body: string): FastifyReply {
  return reply.code(status).header('request-id', reply.request.id).headers(HEADERS).send(body);
}

interface Kept {
  readonly operation: string;
  readonly key: string;
  readonly fingerprint: Buffer;
}

/** Runs the write. If its key is taken, answers with the response to the first request. */
async function once(
  reply: FastifyReply,
  owner: Owner,
  kept: Kept,
  write: () => Promise<string>,
): Promise<FastifyReply> {
  try {
    return send(reply, 201, await write());
  } catch (error) {
    if ((error as { constraint?: string }).constraint !== 'idempotency_keys_pkey') throw error;
  }
  const scope = [owner.organization, owner.mode, kept.operation, kept.key];
  const { rows } = await query('find-kept', FIND_KEPT, scope);
  const [{ status, location, body, fingerprint }] = rows;
  if (!fingerprint.equals(kept.fingerprint))
    throw Object.assign(new Error('Another request.'), { statusCode: 422 });
  reply.header('idempotent-replayed', 'true');
  if (location) reply.header('location', location);
  return send(reply, status, body);
}

function keptFor(operation: string, key: string, body: unknown): Kept {
  return { operation, key, fingerprint: hash('sha256', canonicalize(body) ?? '', 'buffer') };
}

function valuesOfKey(owner: Owner, kept: Kept, location: string, answer: string): unknown[] {
  const { operation, key, fingerprint } = kept;
  const { organization, mode } = owner;
  return [organization, mode, operation, key, fingerprint, 201, location, answer, DAY_SECONDS];
}

function valuesOfEvent(
  { organization, mode }: Owner,
  now: number,
  type: string,
  object: string,
  answer: string,
): unknown[] {
  return [organization, mode, uuidOf(newId(EVENT_ID, now)), type, uuidOf(object), 1, answer];
}

interface Write<Body> {
  Body: Body;
  Headers: { 'idempotency-key': string };
}

app.post<Write<SessionInput>>(
  '/v1/checkout_sessions',
  { schema: CREATE_SESSION },
  async (request, reply) => {
    const owner = await ownerOf(request.headers.authorization);
    const { body } = request;
    const kept = keptFor('POST /v1/checkout_sessions', request.headers['idempotency-key'], body);
    const now = Date.now();
    const id = newId(CHECKOUT_SESSION_ID, now, owner.mode);
    const lines = body.line_items.map((line) => priced(line, body.currency));
    const total = lines.reduce((sum, line) => sum + line.amount_total, 0);
    const session = sessionOf(id, owner.mode, body, lines, total);
    const location = `/v1/checkout_sessions/${id}`;
    return once(reply, owner, kept, async () => {
      const answer = JSON.stringify(session);
      await query('add-session', ADD_SESSION, [
        ...valuesOfKey(owner, kept, location, answer),
        ...valuesOfSession(owner, session, lines),
        ...valuesOfEvent(owner, now, 'checkout.session.created', id, answer),
      ]);
      reply.header('location', location);
      return answer;
    });
  },
);

function valuesOfSession(
  { organization, mode }: Owner,
  session: ReturnType<typeof sessionOf>,
  lines: readonly Line[],
): unknown[] {
  const { ui_mode, status, payment_status, currency, amount_total } = session;
  const { success_url, cancel_url, customer_email, metadata, expires_at } = session;
  return [
    ...[organization, mode, uuidOf(session.id), ui_mode, status, payment_status],
    ...[currency, amount_total, 0, 0, 0, amount_total],
    ...[success_url, cancel_url, null, null, null, customer_email, null],
    ...[JSON.stringify(metadata), JSON.stringify(lines.map(stored)), expires_at],
  ];
}

app.get<{ Params: { id: string } }>('/v1/checkout_sessions/:id', async (request, reply) => {
  const owner = await ownerOf(request.headers.authorization);
  const { id } = request.params;
  const values = [owner.organization, owner.mode, uuidOf(id)];
  const { rows } = await query('find-session', FIND_SESSION, values);
  if (rows.length === 0) throw Object.assign(new Error('No such resource.'), { statusCode: 404 });
  const [{ line_items: lines, expires_at, metadata, ...columns }] = rows;
  const data = lines.map(shown);
  const ends = {
    metadata,
    expires_at,
    created_at: createdAt(id),
    line_items: { object: 'list', data },
  };
  return send(reply, 200, JSON.stringify({ id, object: 'checkout.session', ...columns, ...ends }));
});

app.get('/v1/checkout_sessions', async (request, reply) => {
  const owner = await ownerOf(request.headers.authorization);
  const values = [owner.organization, owner.mode, FIRST_UUID, 'f'.repeat(32), PAGE + 1];
  const { rows } = await query('list', LIST, values);
  const data = rows.slice(0, PAGE).map(({ id: uuid, ...columns }) => {
    const id = idOf(CHECKOUT_SESSION_ID, uuid, owner.mode);
    return { id, ...columns, created_at: createdAt(id) };
  });
  const more = rows.length > PAGE;
  const next = more ? data.at(-1)?.id : null;
  const list = {
    object: 'list',
    data,
    has_more: more,
    next_cursor: next,
    items: data,
    nextCursor: next,
  };
  return send(reply, 200, JSON.stringify(list));
});

app.post<Write<{ payment: string; amount: number }>>(
  '/v1/refunds',
  { schema: PROPOSE_REFUND },
  async (request, reply) => {
    const owner = await ownerOf(request.headers.authorization);
    const { payment, amount } = request.body;
    const kept = keptFor('POST /v1/refunds', request.headers['idempotency-key'], request.body);
    const paid = uuidOf(payment);
    const found = await query('find-payment', FIND_PAYMENT, [owner.organization, owner.mode, paid]);
    const [row] = found.rows;
    if (!row) throw Object.assign(new Error('No such payment.'), { statusCode: 404 });
    if (amount > row.refundable) throw Object.assign(new Error('Too much.'), { statusCode: 422 });
    const now = Date.now();
    const id = newId(REFUND_ID, now, owner.mode);
    const { currency } = row;
    const refund = { id, object: 'refund', amount, currency, status: 'pending', payment };
    const answer = JSON.stringify({ ...refund, created: createdAt(id) });
    const location = `/v1/refunds/${id}`;
    return once(reply, owner, kept, async () => {
      const { organization, mode } = owner;
      await query('add-refund', ADD_REFUND, [
        ...valuesOfKey(owner, kept, location, answer),
        ...[organization, mode, paid, amount],
        ...[organization, mode, uuidOf(id), paid, amount, currency, 'pending'],
        ...valuesOfEvent(owner, now, 'refund.created', id, answer),
      ]);
      reply.header('location', location);
      return answer;
    });
  },
);

await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`listens on http://127.0.0.1:${(app.server.address() as AddressInfo).port}\n`);
process.once('SIGTERM', () => void app.close().then(() => pool.end()));
