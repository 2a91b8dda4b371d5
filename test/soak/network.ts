/**
 * A network between two ends carries bytes, cuts every connection, or carries nothing for a while.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export class Network {
  private readonly pairs = new Set<readonly [Socket, Socket]>();
  private isHole = false;

  private constructor(private readonly server: Server) {}

  /** `target` is read at each connection, because a killed process comes back on another port. */
  static async open(target: () => number | undefined): Promise<Network> {
    const server = createServer();
    const proxy = new Network(server);
    server.on('connection', (near) => proxy.join(near, target()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  cut(): void {
    for (const pair of this.pairs) for (const socket of pair) socket.resetAndDestroy();
  }

  /**
   * Carries nothing and refuses nothing for a while. The bytes that were sent meanwhile arrive
   * late.
   */
  async blackHole(milliseconds: number): Promise<void> {
    this.isHole = true;
    for (const pair of this.pairs) for (const socket of pair) socket.pause();
    await sleep(milliseconds);
    this.isHole = false;
    for (const pair of this.pairs) for (const socket of pair) socket.resume();
  }

  close(): void {
    this.server.close();
    this.cut();
  }

  private join(near: Socket, port: number | undefined): void {
    const far = connect(port ?? 1, '127.0.0.1');
    const pair = [near, far] as const;
    this.pairs.add(pair);
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.pairs.delete(pair);
        to.destroy();
      });
      from.pipe(to);
      if (this.isHole) from.pause();
    }
  }
}
