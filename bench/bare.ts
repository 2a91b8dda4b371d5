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
import {
  CREATE_SESSION,
  type LineInput,
  PROPOSE_REFUND,
  type SessionInput,
} from './bare.schemas.js';
import {
  ADD_REFUND,
  ADD_SESSION,
  FIND_KEPT,
  FIND_OWNER,
  FIND_PAYMENT,
  FIND_SESSION,
  LIST,
} from './bare.sql.js';

const DAY_SECONDS = 86_400;
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
      const uuid = uuidOf(id);
      await query('add-session', ADD_SESSION, [
        ...[
          owner.organization,
          owner.mode,
          kept.operation,
          kept.key,
          kept.fingerprint,
          201,
          location,
          answer,
        ],
        DAY_SECONDS,
        ...[
          owner.organization,
          owner.mode,
          uuid,
          session.ui_mode,
          session.status,
          session.payment_status,
        ],
        ...[session.currency, total, 0, 0, 0, total],
        ...[
          body.success_url ?? null,
          body.cancel_url ?? null,
          null,
          null,
          null,
          body.customer_email ?? null,
          null,
        ],
        ...[
          JSON.stringify(session.metadata),
          JSON.stringify(lines.map(stored)),
          session.expires_at,
        ],
        ...[
          owner.organization,
          owner.mode,
          uuidOf(newId(EVENT_ID, now)),
          'checkout.session.created',
          uuid,
          1,
          answer,
        ],
      ]);
      reply.header('location', location);
      return answer;
    });
  },
);

type Line = ReturnType<typeof priced>;

function priced({ quantity = 1, price_data: price }: LineInput, currency: string) {
  const subtotal = price.unit_amount * quantity;
  return {
    product_name: price.product_data.name,
    description: price.product_data.description ?? null,
    images: [] as string[],
    tax_behavior: 'inclusive',
    quantity,
    unit_price: price.unit_amount,
    currency,
    amount_subtotal: subtotal,
    amount_discount: 0,
    amount_tax: 0,
    amount_total: subtotal,
  };
}

function sessionOf(
  id: string,
  mode: string,
  body: SessionInput,
  lines: readonly Line[],
  total: number,
) {
  return {
    id,
    object: 'checkout.session',
    mode,
    ui_mode: 'hosted',
    status: 'open',
    payment_status: total === 0 ? 'no_payment_required' : 'unpaid',
    currency: body.currency,
    amount: total,
    amount_subtotal: total,
    amount_discount: 0,
    amount_shipping: 0,
    amount_tax: 0,
    amount_total: total,
    success_url: body.success_url ?? null,
    cancel_url: body.cancel_url ?? null,
    return_url: null,
    notify_url: null,
    description: null,
    customer_email: body.customer_email ?? null,
    locale: null,
    metadata: body.metadata ?? {},
    expires_at: createdAt(id) + DAY_SECONDS,
    created_at: createdAt(id),
    line_items: { object: 'list', data: lines },
  };
}

/** Stores rows as the service does, so that each server can read what the other one wrote. */
function stored(line: Line) {
  return {
    productName: line.product_name,
    description: line.description,
    images: line.images,
    taxBehavior: line.tax_behavior,
    quantity: line.quantity,
    unitPrice: line.unit_price,
    currency: line.currency,
    amountSubtotal: line.amount_subtotal,
    amountDiscount: line.amount_discount,
    amountTax: line.amount_tax,
    amountTotal: line.amount_total,
  };
}

app.get<{ Params: { id: string } }>('/v1/checkout_sessions/:id', async (request, reply) => {
  const owner = await ownerOf(request.headers.authorization);
  const { id } = request.params;
  const values = [owner.organization, owner.mode, uuidOf(id)];
  const { rows } = await query('find-session', FIND_SESSION, values);
  if (rows.length === 0) throw Object.assign(new Error('No such resource.'), { statusCode: 404 });
  const [{ line_items: lines, expires_at, metadata, ...columns }] = rows;
  const data = lines.map((line: Record<string, unknown>) => ({
    product_name: line.productName,
    description: line.description,
    images: line.images,
    tax_behavior: line.taxBehavior,
    quantity: line.quantity,
    unit_price: line.unitPrice,
    currency: line.currency,
    amount_subtotal: line.amountSubtotal,
    amount_discount: line.amountDiscount,
    amount_tax: line.amountTax,
    amount_total: line.amountTotal,
  }));
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
    const refund = {
      id,
      object: 'refund',
      amount,
      currency: row.currency,
      status: 'pending',
      payment,
    };
    const answer = JSON.stringify({ ...refund, created: createdAt(id) });
    const location = `/v1/refunds/${id}`;
    return once(reply, owner, kept, async () => {
      await query('add-refund', ADD_REFUND, [
        ...[
          owner.organization,
          owner.mode,
          kept.operation,
          kept.key,
          kept.fingerprint,
          201,
          location,
          answer,
        ],
        DAY_SECONDS,
        ...[owner.organization, owner.mode, paid, amount],
        ...[owner.organization, owner.mode, uuidOf(id), paid, amount, row.currency, 'pending'],
        ...[
          owner.organization,
          owner.mode,
          uuidOf(newId(EVENT_ID, now)),
          'refund.created',
          uuidOf(id),
          1,
          answer,
        ],
      ]);
      reply.header('location', location);
      return answer;
    });
  },
);

await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`listens on http://127.0.0.1:${(app.server.address() as AddressInfo).port}\n`);
process.once('SIGTERM', () => void app.close().then(() => pool.end()));
