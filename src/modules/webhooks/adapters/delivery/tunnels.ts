import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import type { ResolvedAddress } from './names.js';

/** The message says what is wrong with the proxy of WEBHOOK_PROXY, and not where it is. */
export class ProxyFault extends Error {}

/** Opens connections to receivers through an HTTP proxy, by CONNECT (RFC 9110, section 9.3.6). */
export class Tunnels {
  private readonly proxy: URL;
  private readonly authorization: { readonly 'proxy-authorization'?: string };

  constructor(proxy: string) {
    this.proxy = new URL(proxy);
    const { username, password } = this.proxy;
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.authorization =
      credentials === ':'
        ? {}
        : { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
  }

  /**
   * Connects to the first address that the proxy reaches. The proxy is given an address and not the
   * name, because it would look the name up again, and could find another address than the one that
   * was checked.
   */
  async connect(
    addresses: readonly Pick<ResolvedAddress, 'address'>[],
    port: number,
    attempt: AbortSignal,
  ): Promise<Socket> {
    let fault: unknown;
    for (const { address } of addresses) {
      try {
        return await this.open(`${isIPv6(address) ? `[${address}]` : address}:${port}`, attempt);
      } catch (error) {
        attempt.throwIfAborted();
        fault = error;
      }
    }
    throw fault;
  }

  private async open(authority: string, signal: AbortSignal): Promise<Socket> {
    const { hostname, port } = this.proxy;
    const connecting = request({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port || 80,
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...this.authorization },
      agent: false,
      signal,
    });
    // The answer to CONNECT is an event of its own, whatever its status is.
    const answered = once(connecting.end(), 'connect') as Promise<[IncomingMessage, Socket]>;
    const [{ statusCode }, socket] = await answered.catch((error) => {
      throw asFault(error);
    });
    if (statusCode === 200) return socket.setNoDelay();
    socket.destroy();
    throw new ProxyFault(`The proxy of WEBHOOK_PROXY answered ${statusCode} to CONNECT.`);
  }
}

/** A fault of this process, such as too many open files, is not blamed on the proxy. */
function asFault(error: NodeJS.ErrnoException): Error {
  if (error.code === 'EMFILE' || error.code === 'ENFILE') return error;
  return new ProxyFault(
    `The proxy of WEBHOOK_PROXY is not reached: ${error.code ?? error.message}.`,
  );
}
