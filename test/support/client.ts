/**
 * This is a plain HTTP client for the tests. It sends any request, however wrong, and returns the
 * answer.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from './described-values.js';
import { requireDescribed } from './description.js';
import { requireNextStep } from './next-steps.js';

// biome-ignore lint/suspicious/noExplicitAny: a type would claim to know the body that a test checks.
type Json = any;

/** An answer takes much less than this on a busy machine. */
const ANSWER_MS = 150_000;

export interface Reply<Body = Json> {
  readonly status: number;
  readonly headers: Headers;
  /** The text has the bytes of the body. */
  readonly text: string;
  readonly body: Body;
}

export interface Sent {
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body is sent as JSON, unless it is a string or a buffer, which is sent as it is. */
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
}

export async function send<Body = Json>(
  method: string,
  url: string,
  sent: Sent = {},
): Promise<Reply<Body>> {
  const { key, body, idempotencyKey } = sent;
  const raw = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const request = new Request(url, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...sent.headers,
    },
    ...(body === undefined ? {} : { body: raw }),
  });
  const { response, text } = await exchange(request, url, body);
  return { status: response.status, headers: response.headers, text, body: parse(text) as Body };
}

/**
 * This is a `fetch` for clients that take one. It also compares what they send and get with the
 * description.
 */
export const describedFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const requestBody = parse(await request.clone().text());
  return (await exchange(request, request.url, requestBody)).response;
};

/** Sends the request, compares the exchange with the description, and checks its next step. */
async function exchange(request: Request, url: string, requestBody: unknown) {
  // A request that is never answered fails its test, and the error says which request it was.
  const response = await fetch(request, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(
    (error) => {
      throw error.name === 'TimeoutError'
        ? new Error(`${request.method} ${url} was not answered.`)
        : error;
    },
  );
  const text = await response.clone().text();
  const { method, headers: requestHeaders } = request;
  const { status, headers } = response;
  const exchanged = { method, url, requestHeaders, requestBody, status, headers, text };
  requireDescribed(exchanged);
  await requireNextStep(exchanged);
  return { response, text };
}

/** Sends a POST with a new idempotency key, unless one is given. */
export async function post<Body = Json>(url: string, sent: Sent): Promise<Reply<Body>> {
  return send<Body>('POST', url, { idempotencyKey: randomUUID(), ...sent });
}

export async function get<Body = Json>(url: string, sent: Sent): Promise<Reply<Body>> {
  return send<Body>('GET', url, sent);
}

/** Nothing was decided after these statuses, so the same request has to be sent again. */
const UNDECIDED = [409, 503];
const PAUSE_MS = 20;

/** Sends the same request again, as a careful client does, until its answer is final. */
export async function untilDecided(attempt: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await attempt().catch(unlessGone);
    if (reply && !UNDECIDED.includes(reply.status)) return reply;
    await sleep(PAUSE_MS);
  }
}

/**
 * Ignores that there is no answer because the process behind the connection is gone. It throws any
 * other error.
 */
function unlessGone(error: unknown): undefined {
  if (!(error instanceof TypeError && error.message === 'fetch failed')) throw error;
}

/** Runs the work so many times at once, and returns the results. */
export async function atOnce<Result>(
  count: number,
  work: (index: number) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}

export function isReplay({ headers }: Reply): boolean {
  return headers.get('idempotent-replayed') === 'true';
}

/** This is the smallest body that makes a session. It has one line of 10.00 USD. */
export const SMALLEST = {
  currency: 'usd',
  line_items: [
    { price_data: { currency: 'usd', unit_amount: 1000, product_data: { name: 'Book' } } },
  ],
};

/**
 * These changes make a session about as large as a body may be. They are 14 lines with eight images
 * each, 226 KiB in all.
 */
export const LARGE = {
  line_items: Array.from({ length: 14 }, (_, line) => ({
    price_data: {
      currency: 'usd',
      unit_amount: 1000,
      product_data: {
        name: `Book ${line}`,
        images: Array.from({ length: 8 }, () => `https://img.example/${'x'.repeat(2_000)}`),
      },
    },
  })),
};
