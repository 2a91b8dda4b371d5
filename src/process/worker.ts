/** One of several processes that serve. It does what the first one, which has forked it, asks for. */
import cluster from 'node:cluster';
import { Channel } from './channel.js';
import { explain, fail } from './explain.js';
import { Server } from './server.js';
import { endAfter } from './stop-signals.js';
import type { WorkerStart } from './workers.js';

let starting: Promise<Server> | undefined;
let isListening = false;
const started = () => starting as Promise<Server>;

const first = new Channel(
  process,
  {
    start: async (details) => {
      const { config, databaseUrl } = details as WorkerStart;
      starting = Server.start(config, databaseUrl);
      const { metrics } = await starting;
      isListening = true;
      metrics.render = () => first.ask<string>('metrics');
    },
    announcement: async () => (await started()).announcement(),
    metrics: async (isMeasuring) => (await started()).metrics.values(isMeasuring === true),
    retire: async () => (await started()).retire(),
  },
  explain,
);

let isStopping = false;
function stop(): void {
  // Why it did not start has been answered: the first process says it, once for all.
  const close = () =>
    starting?.then(
      (server) => server.close(),
      () => undefined,
    );
  if (!isStopping) endAfter(close, fail);
  isStopping = true;
}

process.on('SIGTERM', stop);
// The first process is gone, however it died. Node would exit here at once, in the middle of requests; but what does not
// listen yet never will, because it is the first process that does.
if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
process.on('disconnect', () => (isListening ? stop() : process.exit(0)));
// A terminal sends these to every process at once; the first one decides what follows.
process.on('SIGINT', () => undefined);
process.on('SIGHUP', () => undefined);

first.ask('ready').catch(() => process.exit(0));
