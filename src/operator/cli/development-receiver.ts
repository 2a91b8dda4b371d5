import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Webhook } from 'standardwebhooks';

interface Options {
  readonly port: number;
  readonly webhook: Webhook;
  readonly say: (line: string) => void;
}

interface ReceivedEvent {
  readonly type: string;
  readonly sequence: number;
  readonly data: { readonly object: { readonly id: string } };
}

export async function receiveWebhooks({ port, webhook, say }: Options) {
  const server = createServer(async (request, response) => {
    const id = request.headers['webhook-id'];
    try {
      const event = webhook.verify(await text(request), request.headers as Record<string, string>) as ReceivedEvent;
      say(`verified ${id} ${event.type} ${event.data.object.id} sequence ${event.sequence}`);
      response.writeHead(204).end();
    } catch (error) {
      say(`refused ${id ?? 'without webhook-id'}: ${(error as Error).message}`);
      response.writeHead(400).end();
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { port: (server.address() as AddressInfo).port, close };
}
