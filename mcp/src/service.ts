/** Calls the Tillgate behind the tools, and keeps the rights and the rate of each key. */
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Tillgate } from '../../client/src/index.js';
import { boundedFetch } from './bounded-fetch.js';
import { type Right, rightsOf } from './rights.js';

/** The rights of a key never change. Beyond this number, the oldest key is forgotten. */
const MAX_KEYS = 1000;
const ASKING = { maxRetries: 2, timeoutMs: 10_000 };

export class Service {
  private readonly keys = new Map<string, Promise<ReadonlySet<Right>>>();
  private readonly limiter: RateLimiterMemory;

  constructor(private readonly options: { baseUrl: string; rateLimitRps: number }) {
    this.limiter = new RateLimiterMemory({ points: options.rateLimitRps, duration: 1 });
  }

  /** Returns a client with this key, whose requests belong to the trace. */
  client(key: string, traceparent?: string): Tillgate {
    const { baseUrl } = this.options;
    if (traceparent === undefined) return new Tillgate({ baseUrl, key, fetch: boundedFetch });
    const traced: typeof fetch = (url, init) =>
      boundedFetch(url, { ...init, headers: { ...init?.headers, traceparent } });
    return new Tillgate({ baseUrl, key, fetch: traced });
  }

  /** Asks once for each key, and again if there was no answer. */
  rightsOf(key: string): Promise<ReadonlySet<Right>> {
    const known = this.keys.get(key);
    if (known) return known;
    const { baseUrl } = this.options;
    const asked = rightsOf(new Tillgate({ baseUrl, key, fetch: boundedFetch, ...ASKING }));
    this.keys.set(key, asked);
    asked.catch(() => this.keys.delete(key));
    if (this.keys.size > MAX_KEYS) this.keys.delete(this.keys.keys().next().value as string);
    return asked;
  }

  /** Tells whether the key may make one more call in this second. */
  async admits(key: string): Promise<boolean> {
    if (this.options.rateLimitRps === 0) return true;
    return this.limiter.consume(key).then(
      () => true,
      () => false,
    );
  }
}
