import cluster from 'node:cluster';
import { Channel } from './channel.js';
import { explain } from './explain.js';
import { Server } from './server.js';
import { endAfter } from './stop-signals.js';

const primary = new Channel(process, {
  announcement: async () => (await starting).announcement(),
  metrics: async (isMeasuring) => (await starting).metrics.values(isMeasuring === true),
  retire: async () => (await starting).retire(),
});

let isListening = false;
const starting = start();

async function start(): Promise<Server> {
  const server = await Server.start(
    ...(await primary.ask<Parameters<typeof Server.start>>('start')),
  );
  server.metrics.render = () => primary.ask<string>('metrics');
  isListening = true;
  return server;
}

let isStopping = false;
function stop(): void {
  // The primary process has received the reason for a failed start, and prints it once for all
  // workers.
  const close = () => starting.catch(() => undefined).then((server) => server?.close());
  if (!isStopping) endAfter(close);
  isStopping = true;
}

process.on('SIGTERM', stop);
// The primary process has ended. Node would exit here at once, in the middle of requests. A worker
// that does not listen yet cannot do so any more, because the primary process owns the port.
if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
process.on('disconnect', () => (isListening ? stop() : process.exit(0)));
// A terminal sends these signals to every process. The primary process decides what follows.
process.on('SIGINT', () => undefined);
process.on('SIGHUP', () => undefined);

starting
  .then(
    () => primary.ask('listens'),
    (error) => primary.ask('fails', explain(error).join(' ')),
  )
  .catch(() => process.exit(0));
