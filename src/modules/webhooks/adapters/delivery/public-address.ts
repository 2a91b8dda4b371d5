/**
 * This file decides which addresses a webhook may reach: addresses of the public Internet, but none
 * of the service's own network.
 */
import ipaddr from 'ipaddr.js';

/**
 * The range contains all public IPv6 addresses. Addresses outside are unreachable or stand for IPv4
 * addresses.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/**
 * WEBHOOK_ALLOW_PRIVATE allows these ranges. Link-local is not one of them, because clouds serve
 * the credentials of machines there.
 */
const PRIVATE = ['loopback', 'private', 'uniqueLocal'];
/** An operator may list networks in these ranges. */
const MAY_BE_LISTED = [...PRIVATE, 'carrierGradeNat'];

/** Clouds serve credentials and other data of machines here, besides link-local addresses. */
const CLOUD_HOSTS = [
  '168.63.129.16/32', // Azure
  '100.100.100.200/32', // Alibaba Cloud
  '192.0.0.192/32', // Oracle Cloud
  'fd00:c1::/32', // Oracle Cloud
  'fd00:ec2::/32', // AWS
  'fd20:ce::/32', // Google Cloud
  'fd00:42::42/128', // Scaleway
  'fd00:a9fe:a9fe::/48', // Akamai
].map(ipaddr.parseCIDR);

/**
 * The pattern finds IPv4 in dotted form inside IPv6, other than mapped. ipaddr.js takes ::10.0.0.1
 * for ::ffff:10.0.0.1, which the kernel does not.
 */
const UNMAPPED = /(?<!^::ffff):\d+\./i;

export interface Reach {
  readonly allowPrivate: boolean;
  readonly allowLoopback?: boolean;
  /** The networks are CIDRs, for the ledger's receivers only. */
  readonly networks?: readonly string[];
}

/**
 * Tells if a webhook may be sent to the address, which is written as resolvers and sockets write
 * it.
 */
export function isReachable(
  address: string,
  { allowPrivate, allowLoopback, networks = [] }: Reach,
): boolean {
  if (!ipaddr.isValid(address) || UNMAPPED.test(address)) return false;
  // The kernel treats ::ffff:10.0.0.1 as 10.0.0.1.
  const parsed = ipaddr.process(address);
  const place = ipaddr.subnetMatch(
    parsed,
    { cloud: CLOUD_HOSTS, listed: networks.map(ipaddr.parseCIDR) },
    'elsewhere',
  );
  if (place === 'cloud') return false;
  const range = parsed.range();
  if (place === 'listed' && MAY_BE_LISTED.includes(range)) return true;
  if ((allowPrivate && PRIVATE.includes(range)) || (allowLoopback && range === 'loopback'))
    return true;
  return range === 'unicast' && (!(parsed instanceof ipaddr.IPv6) || parsed.match(GLOBAL_UNICAST));
}
