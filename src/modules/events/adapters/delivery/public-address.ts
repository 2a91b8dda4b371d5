/** Which addresses a webhook may reach: the public Internet, and never the network this service runs in. */
import ipaddr from 'ipaddr.js';

/** All of the public IPv6 Internet. What lies outside reaches IPv4 in disguise, or nobody. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** What WEBHOOK_ALLOW_PRIVATE opens. Link-local stays closed: it is where clouds keep their machines' credentials. */
const PRIVATE = ['loopback', 'private', 'uniqueLocal'];

/** A public address that only machines in Azure can reach: their host's agent. */
const AZURE_HOST = '168.63.129.16';

/** Whether an address, as a resolver or a socket spells it, may be connected to. */
export function isReachable(address: string, allowPrivate: boolean): boolean {
  if (!ipaddr.isValid(address)) return false;
  // ::ffff:10.0.0.1 is 10.0.0.1 to the kernel.
  const parsed = ipaddr.process(address);
  if (parsed.toString() === AZURE_HOST) return false;
  const range = parsed.range();
  if (allowPrivate && PRIVATE.includes(range)) return true;
  return range === 'unicast' && (!(parsed instanceof ipaddr.IPv6) || parsed.match(GLOBAL_UNICAST));
}
