import ipaddr from 'ipaddr.js';

/** The client at an address: an IPv4 address, or an IPv6 /64 network, within which a client can choose its own. Undefined for loopback. */
export function clientOf(text: string): string | undefined {
  if (!ipaddr.isValid(text)) return 'unknown';
  const address = ipaddr.process(text);
  if (address.range() === 'loopback') return undefined;
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString();
}
