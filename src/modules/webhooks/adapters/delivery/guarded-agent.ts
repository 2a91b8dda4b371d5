import { Agent, type ClientRequestArgs } from 'node:http';
import { connect as connectTcp, isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { Resolve, ResolvedAddress } from './names.js';
import { isReachable, type Reach } from './public-address.js';
import type { Tunnels } from './tunnels.js';

export interface Rules extends Reach {
  readonly resolve: Resolve;
  /** Connections go through these. Without them they go directly to the receiver. */
  readonly tunnels?: Tunnels | undefined;
}

export class NotAllowed extends Error {}

/**
 * The time is shorter than the keep-alive time of most servers, so that a connection is not reused
 * while its server closes it.
 */
const IDLE_MS = 4_000;
const MAX_IDLE = 256;

export interface GuardedRequest extends ClientRequestArgs {
  readonly servername?: string;
  /** The signal ends the look-up of a name. Node does not pass `signal` on to an agent. */
  readonly attempt: AbortSignal;
}

/**
 * Connects to receivers by the rules for addresses, over http and https, and keeps connections. A
 * request for https has the default port 443.
 */
export class GuardedAgent extends Agent {
  constructor(private readonly rules: Rules) {
    super({ keepAlive: true, timeout: IDLE_MS });
  }

  /**
   * Throws NotAllowed if any address is not reachable: otherwise it would depend on chance whether
   * a private one is called.
   */
  check(addresses: readonly Pick<ResolvedAddress, 'address'>[]): void {
    const isAllowed =
      addresses.length > 0 && addresses.every(({ address }) => isReachable(address, this.rules));
    if (!isAllowed) throw new NotAllowed(whyNot(this.rules));
  }

  override createConnection(
    request: GuardedRequest,
    connected?: (error: Error | null, socket: Duplex) => void,
  ): Duplex | undefined {
    const { tunnels } = this.rules;
    if (!tunnels) return this.connectDirectly(request);
    this.connectThrough(tunnels, request).then(
      (socket) => connected?.(null, socket),
      (error: Error) => connected?.(error, undefined as never),
    );
    return undefined;
  }

  /**
   * Node connects to the addresses that were checked, and looks up no name again. It does not look
   * up an IP address.
   */
  private connectDirectly(request: GuardedRequest): Duplex {
    const lookup: LookupFunction = (name, _options, found) => {
      this.addressesOf(name, request.attempt).then(
        (addresses) => found(null, [...addresses]),
        (error: Error) => found(error, []),
      );
    };
    const to = {
      host: String(request.host),
      port: Number(request.port),
      lookup,
      autoSelectFamily: true,
      noDelay: true,
    };
    return isSecure(request) ? connectTls({ ...to, ...tlsOf(request) }) : connectTcp(to);
  }

  private async connectThrough(tunnels: Tunnels, request: GuardedRequest): Promise<Duplex> {
    const { attempt } = request;
    const host = String(request.host);
    const addresses = isIP(host) ? [{ address: host }] : await this.addressesOf(host, attempt);
    const socket = await tunnels.connect(addresses, Number(request.port), attempt);
    return isSecure(request) ? connectTls({ socket, host, ...tlsOf(request) }) : socket;
  }

  private async addressesOf(
    name: string,
    attempt: AbortSignal,
  ): Promise<readonly ResolvedAddress[]> {
    const addresses = await this.rules.resolve(name, attempt);
    this.check(addresses);
    return addresses;
  }

  override getName(options?: ClientRequestArgs): string {
    return `${options?.defaultPort} ${super.getName(options)}`;
  }

  override keepSocketAlive(socket: Duplex): boolean {
    super.keepSocketAlive(socket);
    return Object.values(this.freeSockets).flat().length < MAX_IDLE;
  }
}

const isSecure = ({ defaultPort }: GuardedRequest): boolean => defaultPort === 443;

const tlsOf = ({ servername }: GuardedRequest) => {
  return { ...(servername && { servername }), ALPNProtocols: ['http/1.1'] };
};

/**
 * Explains the refusal. The message does not name the address, so that nobody can map the private
 * network with it.
 */
function whyNot({ allowPrivate, networks }: Reach): string {
  if (allowPrivate) return 'The host has an address that webhooks are never sent to.';
  return networks
    ? 'The host is neither at a public address nor in a network that LEDGER_WEBHOOK_NETWORKS lists.'
    : 'The host is not at a public address. For development, set WEBHOOK_ALLOW_PRIVATE=true ' +
        'for the service or command that sends.';
}
