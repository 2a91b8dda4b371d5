/** Tells a worker of new refunds, if it listens on its WEBHOOK_PORT. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { demand } from './api.js';
import type { Stage } from './stage.js';

export class Pushes {
  private readonly silent = new Set<number>();

  constructor(private readonly stage: Stage) {}

  async freePort(): Promise<number> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await once(server.close(), 'close');
    this.silent.add(port);
    return port;
  }

  async offer(): Promise<void> {
    const { url, ledgerKey } = this.stage;
    for (const port of this.silent) {
      if (!(await isListening(port))) continue;
      this.silent.delete(port);
      const endpoint = {
        url: `http://127.0.0.1:${port}/`,
        events: ['refund.created', 'refund.approved'],
      };
      await demand(`${url}/ledger/v1/webhook_endpoints`, ledgerKey, endpoint);
    }
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return once(socket, 'connect').then(
    () => socket.end() !== undefined,
    () => false,
  );
}
