import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Webhook } from 'standardwebhooks';

export interface DevelopmentReceiver {
  readonly port: number;
  close(): Promise<void>;
}

export interface ReceiverOptions {
  readonly port: number;
  readonly webhook: Webhook;
  readonly say: (line: string) => void;
}

/** Throws when the port is taken. */
export async function receiveWebhooks({ port, webhook, say }: ReceiverOptions): Promise<DevelopmentReceiver> {
  const server = createServer(async (request, response) => {
    const id = request.headers['webhook-id'];
    try {
      const line = describe(webhook.verify(await textOf(request), headersOf(request)) as ReceivedEvent);
      say(`verified ${id} ${line}`);
      response.writeHead(204).end();
    } catch (error) {
      say(`refused ${id ?? 'without webhook-id'}: ${(error as Error).message}`);
      response.writeHead(400).end();
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface ReceivedEvent {
  readonly type: string;
  readonly sequence: number;
  readonly data: { readonly object: { readonly id: string } };
}

function describe({ type, sequence, data }: ReceivedEvent): string {
  return `${type} ${data.object.id} sequence ${sequence}`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
