/** One request, as often as it takes, under one idempotency key. */
import { isEnvelope, TillgateConnectionError, TillgateError } from './errors.js';
import { isWorthRetrying, MAX_RETRIES, pauseAfter } from './retry.js';

export interface ClientOptions {
  /** Where the service is, without a path: `https://pay.example`. */
  readonly baseUrl: string;
  /** `sk_…` for the public API, `lk_…` for the ledger's. */
  readonly key: string;
  /** How often to try again; 0 to leave that to the caller. */
  readonly maxRetries?: number;
  /** How long a single attempt may take. */
  readonly timeoutMs?: number;
  /** Another way to send, like one through a proxy. */
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  /** Made up for each write unless given: give it where a crash of your own must not lead to a second write. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

interface Call extends CallOptions {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: Query | undefined;
  readonly body?: unknown;
}

const TIMEOUT_MS = 30_000;

/** What came of one attempt. */
type Outcome = { readonly status: number; readonly text: string; readonly retryAfter: string | null };
type Failure = { readonly cause: unknown };

export class Transport {
  constructor(private readonly options: ClientOptions) {}

  get<Result>(path: string, query?: Query, options: CallOptions = {}): Promise<Result> {
    return this.send<Result>({ method: 'GET', path, query, ...options });
  }

  post<Result>(path: string, body: unknown = {}, options: CallOptions = {}): Promise<Result> {
    return this.send<Result>({ method: 'POST', path, body, idempotencyKey: crypto.randomUUID(), ...options });
  }

  private async send<Result>(call: Call): Promise<Result> {
    const { maxRetries = MAX_RETRIES } = this.options;
    for (let attempts = 1; ; attempts += 1) {
      const outcome = await this.attempt(call);
      const isLasting = 'status' in outcome && !isWorthRetrying(outcome.status);
      const pause = pauseAfter(attempts, 'status' in outcome ? outcome.retryAfter : null);
      if (isLasting || attempts > maxRetries || pause === undefined) return resultOf<Result>(outcome, call);
      await wait(pause, call.signal);
    }
  }

  private async attempt(call: Call): Promise<Outcome | Failure> {
    const { fetch: send = fetch, timeoutMs = TIMEOUT_MS } = this.options;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await send(urlOf(this.options.baseUrl, call), {
        method: call.method,
        headers: this.headersOf(call),
        // Followed, a redirect may turn a write into a read; the service sends none.
        redirect: 'error',
        signal: call.signal ? AbortSignal.any([call.signal, timeout]) : timeout,
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      });
      const text = await response.text();
      return { status: response.status, text, retryAfter: response.headers.get('retry-after') };
    } catch (cause) {
      // The caller gave up: that is no fault of the network's.
      call.signal?.throwIfAborted();
      return { cause };
    }
  }

  private headersOf({ body, idempotencyKey }: Call): Record<string, string> {
    return {
      accept: 'application/json',
      authorization: `Bearer ${this.options.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    };
  }
}

function resultOf<Result>(outcome: Outcome | Failure, { idempotencyKey }: Call): Result {
  if (!('status' in outcome)) {
    throw new TillgateConnectionError('The service could not be reached.', { idempotencyKey, ...outcome });
  }
  const { status, text } = outcome;
  const body = parse(text);
  if (status >= 200 && status < 300 && body !== undefined) return body as Result;
  if (isEnvelope(body)) throw new TillgateError(status, body);
  throw new TillgateConnectionError(`An answer ${status} that is not the service's.`, { status, idempotencyKey });
}

function urlOf(baseUrl: string, { path, query = {} }: Call): URL {
  const url = new URL(path, baseUrl);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
