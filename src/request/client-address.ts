import ipaddr from 'ipaddr.js';

/**
 * Returns the client at an address, or undefined for loopback. An IPv4 address is one client. An
 * IPv6 /64 network is one client too, because a client can choose any address in its network.
 */
export function clientOf(text: string): string | undefined {
  if (!ipaddr.isValid(text)) return 'unknown';
  const address = ipaddr.process(text);
  if (address.range() === 'loopback') return undefined;
  if (address instanceof ipaddr.IPv4) return address.toString();
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

export type Network = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

/**
 * Returns the network of an address or a CIDR. A network of IPv4 addresses that are mapped into
 * IPv6 counts as a network of IPv4.
 */
export function networkOf(text: string): Network {
  const alone = text.includes(':') ? 128 : 32;
  const [address, bits] = ipaddr.parseCIDR(text.includes('/') ? text : `${text}/${alone}`);
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [address.toIPv4Address(), bits - 96] : [address, bits];
}

export function isWithin(networks: readonly Network[], text: string): boolean {
  if (networks.length === 0 || !ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return networks.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
  );
}
