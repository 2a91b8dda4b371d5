/** A proxy that hands everything on as it came, but spoils one thing in the answers. */
import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PassingAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  headers: Record<string, string | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON the service answered with.
  body: any;
}

export interface SpoilingProxy {
  readonly url: string;
  close(): Promise<void>;
}

export async function spoil(target: string, change: (answer: PassingAnswer) => void): Promise<SpoilingProxy> {
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', rawHeaders } = request;
    const { hostname, port } = new URL(target);
    const onward = forward({ hostname, port, method, path, headers: rawHeaders });
    onward.end(await bytesOf(request));
    const [reply] = (await once(onward, 'response')) as [IncomingMessage];
    const text = (await bytesOf(reply)).toString();
    const { statusCode: status = 0, headers } = reply;
    const answer: PassingAnswer = { method, path, status, headers: { ...headers }, body: JSON.parse(text) };
    change(answer);
    const changed = JSON.stringify(answer.body);
    response.writeHead(status, { ...answer.headers, 'content-length': Buffer.byteLength(changed) });
    response.end(changed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await message.toArray());
}
