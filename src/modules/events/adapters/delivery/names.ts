import { Resolver } from 'node:dns/promises';

/** For each name server; the second try waits twice as long. */
const TIMEOUT_MS = 1_500;
const TRIES = 2;
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 5_000;
const FAILURES = ['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'ETIMEOUT', 'EREFUSED'];

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Every address of a host name. Throws the DNS error, or the reason of the signal. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly ResolvedAddress[]>;

/** Names that could not be resolved, each with its error and its time (monotonic, milliseconds), oldest first. */
type Failed = Map<string, { readonly error: unknown; readonly at: number }>;

/**
 * Resolves names with c-ares, which needs no thread. The system's resolver (`dns.lookup`) shares libuv's four threads with the
 * whole process, so names without a responding server could block the lookup of the database's name. /etc/hosts is not read.
 * `servers` replace the system's name servers.
 */
export function nameResolver(servers?: readonly string[]): Resolve {
  const failed: Failed = new Map();
  const resolver = () => {
    const one = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    if (servers) one.setServers(servers);
    return one;
  };
  return (hostname, signal) => resolveName(hostname, signal, failed, resolver);
}

async function resolveName(
  hostname: string,
  signal: AbortSignal,
  failed: Failed,
  resolver: () => Resolver,
): Promise<readonly ResolvedAddress[]> {
  const name = hostname.replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost')) {
    return [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
  }
  const known = failed.get(name);
  if (known && performance.now() - known.at < REMEMBERED_MS) throw known.error;
  failed.delete(name);
  try {
    return await query(name, signal, resolver());
  } catch (error) {
    signal.throwIfAborted();
    if (FAILURES.includes(String((error as NodeJS.ErrnoException).code))) remember(failed, name, error);
    throw error;
  }
}

async function query(name: string, signal: AbortSignal, resolver: Resolver): Promise<readonly ResolvedAddress[]> {
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
    return [
      ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 })),
      ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 })),
    ];
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function remember(failed: Failed, name: string, error: unknown): void {
  failed.set(name, { error, at: performance.now() });
  for (const [oldest, { at }] of failed) {
    if (failed.size <= MAX_REMEMBERED && performance.now() - at < REMEMBERED_MS) break;
    failed.delete(oldest);
  }
}
