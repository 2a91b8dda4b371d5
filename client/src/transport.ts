/** One request, as often as it takes, under one idempotency key. */
import { isEnvelope, TillgateConnectionError, TillgateError } from './errors.js';
import { isWorthRetrying, MAX_RETRIES, pauseAfter } from './retry.js';

export interface ClientOptions {
  /** Where the service is, with its path prefix if it has one: `https://pay.example`. */
  readonly baseUrl: string;
  /** `sk_…` for the public API, `lk_…` for the ledger's. */
  readonly key: string;
  /** How often to try again; 0 to leave that to the caller. */
  readonly maxRetries?: number | undefined;
  /** How long a single attempt may take. */
  readonly timeoutMs?: number | undefined;
  /** Another way to send, like one through a proxy. */
  readonly fetch?: typeof fetch | undefined;
}

export interface ReadOptions {
  /** Ends the call at once, while it waits for another attempt too. */
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOptions extends ReadOptions {
  /** Made up for each write unless given: give it where a crash of your own must not lead to a second write. */
  readonly idempotencyKey?: string | undefined;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

interface Call extends WriteOptions {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Query | undefined;
  readonly body?: unknown;
}

/** What is sent, the same in every attempt. */
interface Prepared {
  readonly url: URL;
  readonly init: RequestInit;
  readonly signal: AbortSignal | undefined;
}

const TIMEOUT_MS = 30_000;

/** What came of one attempt. */
type Outcome = { readonly status: number; readonly body: unknown; readonly retryAfter: string | null };
type Failure = { readonly cause: unknown };

export class Transport {
  /** Hidden from whoever prints a client: it holds the key. */
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
    // A URL or key that cannot be sent is a mistake to hear of here, not a network fault to try again.
    new Request(options.baseUrl, { headers: headersOf(options.key) });
  }

  get<Result>(path: string, query?: Query, { signal }: ReadOptions = {}): Promise<Result> {
    return this.send<Result>({ method: 'GET', path, query, signal });
  }

  post<Result>(path: string, body: unknown = {}, options: WriteOptions = {}): Promise<Result> {
    const { idempotencyKey = crypto.randomUUID(), signal } = options;
    return this.send<Result>({ method: 'POST', path, body, idempotencyKey, signal });
  }

  delete<Result>(path: string, { signal }: ReadOptions = {}): Promise<Result> {
    return this.send<Result>({ method: 'DELETE', path, signal });
  }

  private async send<Result>(call: Call): Promise<Result> {
    const { maxRetries = MAX_RETRIES } = this.#options;
    const prepared = this.prepare(call);
    for (let attempts = 1; ; attempts += 1) {
      const outcome = await this.attempt(prepared);
      const pause = attempts > maxRetries ? undefined : pauseBeforeNext(outcome, attempts);
      if (pause === undefined) return resultOf<Result>(outcome, call);
      await wait(pause, call.signal);
    }
  }

  private prepare({ method, path, query = {}, body, idempotencyKey, signal }: Call): Prepared {
    const { baseUrl, key } = this.#options;
    const url = new URL(baseUrl.replace(/(?<!\/)\/+$/, '') + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const init: RequestInit = {
      method,
      headers: headersOf(key, idempotencyKey, body),
      // Followed, a redirect may turn a write into a read; the service sends none.
      redirect: 'manual',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    return { url, init, signal };
  }

  private async attempt({ url, init, signal }: Prepared): Promise<Outcome | Failure> {
    const { fetch: send = fetch, timeoutMs = TIMEOUT_MS } = this.#options;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await send(url, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
      const body = parse(await response.text());
      return { status: response.status, body, retryAfter: response.headers.get('retry-after') };
    } catch (cause) {
      // The caller gave up: that is no fault of the network's.
      signal?.throwIfAborted();
      return { cause };
    }
  }
}

/** Plain, as another `fetch` can spread them; made by Headers, which throws what could not be sent. */
function headersOf(key: string, idempotencyKey?: string, body?: unknown): Record<string, string> {
  const headers = new Headers({ accept: 'application/json', authorization: `Bearer ${key}` });
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
  return Object.fromEntries(headers);
}

function pauseBeforeNext(outcome: Outcome | Failure, attempts: number): number | undefined {
  if (!('status' in outcome)) return pauseAfter(attempts, null);
  const { status, body, retryAfter } = outcome;
  const nextStep = isEnvelope(body) ? body.error.next_step?.type : undefined;
  return isWorthRetrying(status, nextStep) ? pauseAfter(attempts, retryAfter) : undefined;
}

function resultOf<Result>(outcome: Outcome | Failure, { idempotencyKey }: Call): Result {
  if (!('status' in outcome)) {
    throw new TillgateConnectionError('The service could not be reached.', { idempotencyKey, ...outcome });
  }
  const { status, body } = outcome;
  if (status >= 200 && status < 300 && typeof body === 'object' && body !== null) return body as Result;
  if (isEnvelope(body)) throw new TillgateError(status, body, idempotencyKey);
  throw new TillgateConnectionError(`Something other than the service answered, with ${status}.`, {
    status,
    idempotencyKey,
  });
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
