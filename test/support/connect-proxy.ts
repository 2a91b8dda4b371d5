/** This HTTP proxy opens tunnels by CONNECT, and keeps what it was asked for. */
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listen } from './sockets.js';

interface Asked {
  readonly authority: string;
  readonly authorization: string | undefined;
}

type Behavior = (socket: Socket, request: IncomingMessage) => void;

/** Connects to the place that the request asks for, or answers 502 if nothing is there. */
export const tunnel: Behavior = (socket, { url = '' }) => {
  const { hostname, port } = new URL(`http://${url}`);
  const onward = connect(Number(port), hostname.replace(/^\[|\]$/g, ''));
  onward.on('connect', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    socket.pipe(onward).pipe(socket);
  });
  onward.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
  socket.on('close', () => onward.destroy());
};

export const refuse =
  (status: string): Behavior =>
  (socket) =>
    void socket.end(`HTTP/1.1 ${status}\r\n\r\n`);

export async function startConnectProxy(port = 0) {
  const asked: Asked[] = [];
  const sockets: Socket[] = [];
  let behavior = tunnel;
  const server = createServer();
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    const { url: authority = '', headers } = request;
    asked.push({ authority, authorization: headers['proxy-authorization'] });
    sockets.push(socket.on('error', () => undefined));
    behavior(socket, request);
  });
  return {
    url: `http://127.0.0.1:${await listen(server, '127.0.0.1', port)}`,
    asked,
    behave: (next: Behavior) => {
      behavior = next;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
