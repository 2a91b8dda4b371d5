/** A real service with few files, and receivers that answer at once or late. */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServer } from '../support/processes.js';
import { listen } from '../support/sockets.js';

const FEW_FILES = ['bash', '-c', 'ulimit -n 512; exec "$@"', 'bash'];
const LATE_MS = 500;

/** Notes which paths were called, how many calls to one of them were open at once, and connections, of whatever protocol. */
async function startReceiver(delayMs: number) {
  const open = new Map<string, number>();
  const receiver = {
    url: '',
    called: open,
    most: 0,
    connections: 0,
    close: () => server.close().closeAllConnections(),
  };
  const server = createServer(async ({ url = '' }, response) => {
    const count = (by: number) => open.set(url, (open.get(url) ?? 0) + by).get(url) as number;
    receiver.most = Math.max(receiver.most, count(1));
    response.on('close', () => count(-1));
    await sleep(delayMs);
    response.writeHead(204).end();
  });
  server.on('connection', () => {
    receiver.connections += 1;
  });
  receiver.url = `http://127.0.0.1:${await listen(server)}`;
  return receiver;
}

export type World = Awaited<ReturnType<typeof openWorld>>;

export async function openWorld(databaseUrl: string) {
  const [prompt, late, secure] = [await startReceiver(0), await startReceiver(LATE_MS), await startReceiver(0)];
  const settings = { PUBLIC_URL: 'https://pay.example', WEBHOOK_ALLOW_PRIVATE: 'true', LOG_LEVEL: 'info' };
  const server = await startServer({ DATABASE_URL: databaseUrl, ...settings }, FEW_FILES);
  const close = async () => {
    server.child.kill('SIGKILL');
    await server.ended;
    for (const receiver of [prompt, late, secure]) receiver.close();
  };
  return { url: server.url, log: () => server.stdout() + server.stderr(), databaseUrl, prompt, late, secure, close };
}
