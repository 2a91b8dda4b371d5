/** Starts servers on free ports, and a pooler between two sockets. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Resolves with the port when the server listens, by default on a free one. */
export async function listen(server: Server, host = '127.0.0.1', port = 0): Promise<number> {
  await once(server.listen(port, host), 'listening');
  return (server.address() as AddressInfo).port;
}

/** Returns a port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await once(server.close(), 'close');
  return port;
}

/** Starts a server that does this with each connection. By default, it says nothing. */
export async function startSockets(behave: (socket: Socket) => void = () => undefined) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    behave(socket);
  });
  const port = await listen(server);
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { host: `127.0.0.1:${port}`, port, sockets, close };
}

/**
 * Changes the messages of one connection. It sends nothing on when a function returns undefined.
 */
interface Pooled {
  readonly toServer: (message: Buffer, server: Socket) => Buffer | undefined;
  readonly toClient?: (answer: Buffer) => Buffer;
}

/** Starts a pooler in front of PostgreSQL, which greets with a process number of its own. */
export async function startPooler(databaseUrl: string, pool: () => Pooled) {
  const { hostname, port } = new URL(databaseUrl);
  const pooler = createServer((client) => {
    const server = connect(Number(port), hostname);
    const { toServer, toClient = (answer) => answer } = pool();
    client.on('data', (message) => {
      const sent = toServer(message, server);
      if (sent) server.write(sent);
    });
    server.on('data', (answer) => client.write(toClient(withOtherProcess(answer))));
    for (const socket of [client, server]) {
      socket.on('error', () => undefined);
      socket.on('close', () => [client, server].map((one) => one.destroy()));
    }
  });
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${await listen(pooler)}`;
  return { url: url.href, close: () => pooler.close() };
}

/**
 * Changes the message BackendKeyData, which is a K, its length of 12, and the number of the
 * process.
 */
function withOtherProcess(answer: Buffer): Buffer {
  const at = answer.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]));
  if (at >= 0) answer.writeInt32BE(1, at + 5);
  return answer;
}
