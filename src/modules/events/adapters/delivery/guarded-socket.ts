/** A connection to a receiver whose address was checked: when it was resolved, and again once connected. */
import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Mode } from '../../../../shared/caller.js';
import { isReachable } from './public-address.js';

/** What is known to listen for webhooks; anything else on a host is not for a caller to poke at. */
const LIVE_PORTS = [80, 443, 8443];

interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Every address of a host name. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export interface Rules {
  readonly mode: Mode;
  readonly allowPrivate: boolean;
  readonly resolve: Resolve;
}

/** The service itself refuses to connect. */
export class NotAllowed extends Error {}

/** Throws NotAllowed, or what goes wrong on the way. The caller destroys the socket. */
export async function openSocket(url: URL, rules: Rules, signal: AbortSignal): Promise<Socket> {
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  checkUrl(url, port, rules.mode);
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  const addresses = await addressesOf(host, rules, signal);
  const socket = connectTcp({
    host,
    port,
    signal,
    lookup: (_host, { all }, callback) => {
      const [first] = addresses as [ResolvedAddress];
      if (all) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    },
  });
  // Its errors are told by whatever waits for it; between two waits they must not end the process.
  socket.on('error', () => undefined);
  try {
    await once(socket, 'connect', { signal });
    if (!isReachable(socket.remoteAddress ?? '', rules.allowPrivate)) throw notPublic();
    return url.protocol === 'https:' ? await secured(socket, host, signal) : socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function checkUrl({ protocol }: URL, port: number, mode: Mode): void {
  if (mode !== 'live') return;
  if (protocol !== 'https:') throw new NotAllowed('Live webhooks are only sent over https.');
  if (!LIVE_PORTS.includes(port))
    throw new NotAllowed(`Live webhooks are only sent to ports ${LIVE_PORTS.join(', ')}.`);
}

/** All or none: a name that also points inside is not one to be lucky with. */
async function addressesOf(
  host: string,
  { resolve, allowPrivate }: Rules,
  signal: AbortSignal,
): Promise<readonly ResolvedAddress[]> {
  const addresses = isIP(host) ? [{ address: host, family: isIP(host) }] : await unlessAborted(resolve(host), signal);
  if (addresses.length === 0) throw new NotAllowed('The host has no address.');
  if (addresses.some(({ address }) => !isReachable(address, allowPrivate))) throw notPublic();
  return addresses;
}

function notPublic(): NotAllowed {
  // Which address it was stays here: an answer that says so would map the network inside.
  return new NotAllowed('The host is not at a public address.');
}

async function secured(socket: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  const tls = connectTls({ socket, host, ...(isIP(host) ? {} : { servername: host }) });
  tls.on('error', () => undefined);
  await once(tls, 'secureConnect', { signal });
  return tls;
}

/** The system's resolver cannot be interrupted, only left alone. */
async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const listening = new AbortController();
  const aborted = once(signal, 'abort', { signal: listening.signal }).then(() => {
    throw signal.reason;
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, aborted]);
  } finally {
    aborted.catch(() => undefined);
    listening.abort();
  }
}
