/** Opens connections to receivers. The address of each is checked twice: when it is resolved, and again once connected. */
import { once } from 'node:events';
import { Agent, type ClientRequestArgs } from 'node:http';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { isWebhookPort } from '../../../../shared/webhook-urls.js';
import type { Resolve, ResolvedAddress } from './names.js';
import { isReachable, type Reach } from './public-address.js';

export interface Rules extends Reach {
  readonly resolve: Resolve;
}

export class NotAllowed extends Error {}

/** Shorter than the keep-alive time of most servers, so that a connection is not reused while its server closes it. */
const IDLE_MS = 4_000;
const MAX_IDLE = 256;

export interface GuardedRequest extends ClientRequestArgs {
  /** Ends the opening of a connection. Node does not pass `signal` on to an agent. */
  readonly attempt: AbortSignal;
}

/** Opens connections by the rules, for http and https, and reuses them. A request for https has the default port 443. */
export class GuardedAgent extends Agent {
  constructor(private readonly rules: Rules) {
    super({ keepAlive: true, timeout: IDLE_MS });
  }

  override createConnection(
    { host, port, defaultPort, attempt }: GuardedRequest,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const url = new URL(`${defaultPort === 443 ? 'https' : 'http'}://${host}:${port}`);
    openSocket(url, this.rules, attempt).then(
      (socket) => callback?.(null, socket),
      (error: Error) => callback?.(error, undefined as never),
    );
  }

  override getName(options?: ClientRequestArgs): string {
    return `${options?.defaultPort} ${super.getName(options)}`;
  }

  override keepSocketAlive(socket: Duplex): boolean {
    super.keepSocketAlive(socket);
    return Object.values(this.freeSockets).flat().length < MAX_IDLE;
  }
}

/** Throws NotAllowed for a URL with user information or with another port than webhooks may have. */
export function checkUrl({ port, username, password }: URL): void {
  if (username || password) throw new NotAllowed('Webhooks are not sent to a URL with user information.');
  if (!isWebhookPort(port)) throw new NotAllowed('Webhooks are only sent to port 80, 443, or a port from 1024 up.');
}

/** Throws NotAllowed, or the error of DNS, TCP or TLS. The caller destroys the socket. */
export async function openSocket(url: URL, rules: Rules, signal: AbortSignal): Promise<Socket> {
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [{ address: host, family: isIP(host) }] : await rules.resolve(host, signal);
  // A name is refused if any of its addresses is: otherwise it would depend on chance whether a private one is called.
  if (addresses.length === 0 || addresses.some(({ address }) => !isReachable(address, rules))) throw notAllowed(rules);
  const socket = connectTcp({
    host,
    port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
    signal,
    noDelay: true,
    lookup: (_host, { all }, callback) => {
      const [first] = addresses as [ResolvedAddress];
      if (all) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    },
  });
  // Whatever waits for the socket reports its errors. An error between two waits must not end the process.
  socket.on('error', () => undefined);
  try {
    await once(socket, 'connect', { signal });
    if (!isReachable(socket.remoteAddress ?? '', rules)) throw notAllowed(rules);
    return url.protocol === 'https:' ? await secured(socket, host, signal) : socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** The message does not name the address, so that nobody can map the private network with it. */
function notAllowed({ allowPrivate, networks }: Rules): NotAllowed {
  if (allowPrivate) return new NotAllowed('The host has an address that webhooks are never sent to.');
  return new NotAllowed(
    networks
      ? 'The host is neither at a public address nor in a network that LEDGER_WEBHOOK_NETWORKS lists.'
      : 'The host is not at a public address. For development, set WEBHOOK_ALLOW_PRIVATE=true for the service or command that sends.',
  );
}

async function secured(socket: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  const tls = connectTls({ socket, host, ALPNProtocols: ['http/1.1'], ...(isIP(host) ? {} : { servername: host }) });
  tls.on('error', () => undefined);
  await once(tls, 'secureConnect', { signal });
  return tls;
}
