import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** The timeout applies to each name server; the second try waits twice as long. */
const TIMEOUT_MS = 1_500;
const TRIES = 2;

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Resolves a host name to every address. Throws the DNS error, or the reason of the signal. */
export type Resolve = (
  hostname: string,
  signal: AbortSignal,
) => Promise<readonly ResolvedAddress[]>;

const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Resolves names with c-ares, which needs no thread. The system's resolver (`dns.lookup`) shares
 * libuv's four threads with the whole process, so names without a responding server could block the
 * lookup of the database's name. /etc/hosts is not read. `servers` replace the system's name
 * servers.
 */
export function nameResolver(servers?: readonly string[]): Resolve {
  return async (hostname, signal) => {
    const name = hostname.replace(/\.$/, '');
    if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK;
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    if (servers) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    signal.removeEventListener('abort', cancel);
    signal.throwIfAborted();
    const [four, six] = found;
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };
}
