import type { Socket } from 'node:net';
import { Client } from 'undici';
import { openSocket, type Rules } from './guarded-socket.js';

/** Shorter than the keep-alive time of most servers, so that a connection is not reused while its server closes it. */
const IDLE_MS = 4_000;
const MAX_IDLE = 256;

export interface Connection {
  readonly client: Client;
  readonly isReused: boolean;
}

/** Reuses connections. The address of each was checked by these rules when it was opened. */
export class Connections {
  private readonly idle = new Map<string, Client[]>();
  private size = 0;

  constructor(private readonly rules: Rules) {}

  /** Takes an idle connection, or opens one if there is none or it must be fresh. Throws as openSocket does. */
  async take(url: URL, signal: AbortSignal, mustBeFresh = false): Promise<Connection> {
    const used = mustBeFresh ? undefined : this.idle.get(url.origin)?.at(-1);
    if (used) {
      this.remove(url.origin, used);
      return { client: used, isReused: true };
    }
    const socket = await openSocket(url, this.rules, signal);
    return { client: this.clientOn(socket, url.origin), isReused: false };
  }

  give({ client }: Connection, { origin }: URL): void {
    if (this.size >= MAX_IDLE || client.destroyed) return void client.destroy();
    const others = this.idle.get(origin);
    if (others) others.push(client);
    else this.idle.set(origin, [client]);
    this.size += 1;
  }

  close(): void {
    for (const client of [...this.idle.values()].flat()) void client.destroy();
  }

  /** A client for this socket only: it never opens another one, whose address would not be checked. */
  private clientOn(socket: Socket, origin: string): Client {
    const client = new Client(origin, {
      connect: (_options, callback) => {
        // Undici ignores a callback that is called synchronously.
        setImmediate(() => {
          if (socket.destroyed) callback(new Error('The connection is gone.'), null);
          else callback(null, socket);
        });
      },
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
    });
    socket.once('close', () => {
      this.remove(origin, client);
      void client.destroy();
    });
    return client;
  }

  private remove(origin: string, client: Client): void {
    const left = this.idle.get(origin)?.filter((one) => one !== client) ?? [];
    if (left.length === (this.idle.get(origin)?.length ?? 0)) return;
    this.size -= 1;
    if (left.length === 0) this.idle.delete(origin);
    else this.idle.set(origin, left);
  }
}
