/** Sends a request, and repeats it with the same idempotency key. */
import { isEnvelope, TillgateConnectionError, TillgateError } from './errors.js';
import { isWorthRetrying, MAX_RETRIES, pauseAfter } from './retry.js';
import { inHeader, inJson, inQuery, inUtf8, isBlockedPort, requireSendable } from './sendable.js';

export interface ClientOptions {
  /** URL of the service, with its path prefix, if any: `https://pay.example`. */
  readonly baseUrl: string;
  /**
   * `sk_…` or `rk_…` for the public API, `lk_…` for the ledger's API, `ok_…` for the operator's
   * API.
   */
  readonly key: string;
  /** Number of retries. Default: 4. 0 turns retries off. */
  readonly maxRetries?: number | undefined;
  /** Time limit of a single attempt, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Replaces the global `fetch`, for example to use a proxy. */
  readonly fetch?: typeof fetch | undefined;
}

export interface ReadOptions {
  /** Aborts the call, even between two attempts. */
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOptions extends ReadOptions {
  /**
   * Default: a random key for each call. Pass your own, so that a repetition after a crash of your
   * program writes nothing twice.
   */
  readonly idempotencyKey?: string | undefined;
  /**
   * The person for whom your program asks, for those who read who proposed or decided: 1 to 100
   * visible characters in any script.
   */
  readonly actor?: string | undefined;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

interface Call extends WriteOptions {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Query | undefined;
  readonly body?: unknown;
}

/** The request, which is the same in every attempt. */
interface Prepared {
  readonly url: URL;
  readonly init: RequestInit;
  readonly signal: AbortSignal | undefined;
}

const TIMEOUT_MS = 30_000;
/** The page of an open checkout session, which is not in the session itself. */
const PAGE_LINK = /^<([^>]+)>; rel="payment"$/;

type Outcome = { readonly status: number; readonly body: unknown; readonly headers: Headers };
type Failure = { readonly cause: unknown };

export class Transport {
  /** Private to the runtime, so that printing a client does not show the key. */
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
    requireSendable(options);
  }

  get<Result>(path: string, query?: Query, { signal }: ReadOptions = {}): Promise<Result> {
    return this.send<Result>({ method: 'GET', path, query, signal });
  }

  post<Result>(path: string, body: unknown = {}, options: WriteOptions = {}): Promise<Result> {
    const { idempotencyKey = crypto.randomUUID(), actor, signal } = options;
    return this.send<Result>({ method: 'POST', path, body, idempotencyKey, actor, signal });
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

  private prepare({
    method,
    path,
    query = {},
    body,
    idempotencyKey,
    actor,
    signal,
  }: Call): Prepared {
    const { baseUrl, key } = this.#options;
    const url = new URL(baseUrl.replace(/(?<!\/)\/+$/, '') + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, inQuery(name, value));
    }
    const init: RequestInit = {
      method,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && {
          'idempotency-key': inHeader('idempotencyKey', idempotencyKey),
        }),
        ...(actor !== undefined && { 'tillgate-actor': inUtf8('actor', actor) }),
      },
      // The service sends no redirects, and following one may turn a write into a read.
      redirect: 'manual',
      ...(body === undefined ? {} : { body: inJson(body) }),
    };
    return { url, init, signal };
  }

  private async attempt({ url, init, signal }: Prepared): Promise<Outcome | Failure> {
    const { fetch: send = fetch, timeoutMs = TIMEOUT_MS } = this.#options;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await send(url, {
        ...init,
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      const body = parse(await response.text());
      return { status: response.status, body, headers: response.headers };
    } catch (cause) {
      // The caller's abort is no network error.
      signal?.throwIfAborted();
      if (isBlockedPort(cause))
        throw new TypeError('baseUrl cannot be called: fetch blocks its port.', { cause });
      return { cause };
    }
  }
}

function pauseBeforeNext(outcome: Outcome | Failure, attempts: number): number | undefined {
  if (!('status' in outcome)) return pauseAfter(attempts, null);
  const { status, body, headers } = outcome;
  const nextStep = isEnvelope(body) ? body.error.next_step?.type : undefined;
  return isWorthRetrying(status, nextStep)
    ? pauseAfter(attempts, headers.get('retry-after'))
    : undefined;
}

function resultOf<Result>(outcome: Outcome | Failure, { idempotencyKey }: Call): Result {
  if (!('status' in outcome)) {
    throw new TillgateConnectionError('The service could not be reached.', {
      idempotencyKey,
      ...outcome,
    });
  }
  const { status, body, headers } = outcome;
  if (status >= 200 && status < 300 && typeof body === 'object' && body !== null) {
    const [, pageUrl] = PAGE_LINK.exec(headers.get('link') ?? '') ?? [];
    // The page is not enumerable, so that the session in JSON is what the service sent.
    if (pageUrl !== undefined) Object.defineProperty(body, 'pageUrl', { value: pageUrl });
    return body as Result;
  }
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

export function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
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
