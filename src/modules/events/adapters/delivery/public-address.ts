/** Decides which addresses a webhook may reach: those of the public Internet, not those of the service's own network. */
import ipaddr from 'ipaddr.js';

/** All public IPv6 addresses. Addresses outside are unreachable or stand for IPv4 addresses. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** Ranges that WEBHOOK_ALLOW_PRIVATE allows. Link-local is not one: clouds serve the credentials of machines there. */
const PRIVATE = ['loopback', 'private', 'uniqueLocal'];

/** In the public range, but on Azure it is the agent of the machine's host. */
const AZURE_HOST = '168.63.129.16';

/** Whether a webhook may be sent to the address, which is written as resolvers and sockets write it. */
export function isReachable(address: string, allowPrivate: boolean): boolean {
  if (!ipaddr.isValid(address)) return false;
  // The kernel treats ::ffff:10.0.0.1 as 10.0.0.1.
  const parsed = ipaddr.process(address);
  if (parsed.toString() === AZURE_HOST) return false;
  const range = parsed.range();
  if (allowPrivate && PRIVATE.includes(range)) return true;
  return range === 'unicast' && (!(parsed instanceof ipaddr.IPv6) || parsed.match(GLOBAL_UNICAST));
}
