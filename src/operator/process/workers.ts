/** The primary process starts, watches and replaces the workers. It serves no request itself. */
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { Config } from '../../platform/config.js';
import type { MetricValues } from '../telemetry/metrics.js';
import { Channel } from './channel.js';
import { explain } from './explain.js';
import type { Server } from './server.js';
import { SHUTDOWN_MS } from './stop-signals.js';
import { SummedMetrics } from './summed-metrics.js';

/** This is the pause before a dead worker is replaced. It doubles each time a young worker dies. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
const YOUNG_MS = 30_000;

interface ServingWorker {
  readonly process: Worker['process'];
  readonly channel: Channel;
  readonly startedAt: number;
  readonly pauseMs: number;
}

export class Workers {
  private readonly serving = new Set<ServingWorker>();
  private readonly metrics = new SummedMetrics<ServingWorker>();
  private restarting = Promise.resolve();
  private isStopping = false;

  private constructor(
    private readonly settings: Parameters<typeof Server.start>,
    private readonly log: Logger,
  ) {}

  /** Resolves when all workers listen. Rejects with the first error when no worker is left. */
  static async start(config: Config, databaseUrl: string, log: Logger): Promise<Workers> {
    cluster.setupPrimary({ exec: fileURLToPath(new URL('./worker.js', import.meta.url)) });
    // If this process is killed with SIGKILL, the workers end by themselves.
    process.once('exit', killAll);
    const workers = new Workers([config, databaseUrl], log);
    try {
      await Promise.all(Array.from({ length: config.webConcurrency }, () => workers.add(0)));
      return workers;
    } catch (error) {
      await workers.close();
      throw error;
    }
  }

  async announcement(): ReturnType<Server['announcement']> {
    const [any] = this.serving;
    if (!any) throw new Error('All workers have ended.');
    return any.channel.ask('announcement');
  }

  async close(): Promise<void> {
    this.isStopping = true;
    await Promise.all(
      Object.values(cluster.workers ?? {}).map((worker) => worker && end(worker.process)),
    );
  }

  /**
   * Replaces the workers one by one. Each worker stops when its successor listens. A second call
   * waits for the first.
   */
  restart(): void {
    this.log.info({ workers: this.serving.size }, 'replacing workers');
    this.restarting = this.restarting.then(async () => {
      try {
        for (const worker of [...this.serving]) await this.succeed(worker);
      } catch (error) {
        warn(
          'The restart is given up, because a new worker did not start: ' +
            `${explain(error).join(' ')}`,
        );
      }
    });
  }

  private async add(pauseMs: number): Promise<ServingWorker> {
    const forked = cluster.fork();
    // A worker that cannot be forked or reached also emits an exit event.
    forked.on('error', () => undefined);
    const { process } = forked;
    const { promise: listening, resolve, reject } = Promise.withResolvers<unknown>();
    const handlers = {
      start: () => this.settings,
      listens: resolve,
      fails: (why: unknown) => reject(new Error(String(why))),
      metrics: () => this.metrics.scrape(this.serving),
    };
    const ended = endOf(process);
    const worker = {
      process,
      channel: new Channel(process, handlers),
      startedAt: performance.now(),
      pauseMs,
    };
    void ended.then((how) => reject(new Error(`It ended with ${how}.`)));
    try {
      await listening;
    } catch (error) {
      process.kill('SIGKILL');
      throw error;
    }
    this.serving.add(worker);
    this.log.info({ worker: process.pid }, 'worker started');
    void ended.then((how) => this.onEnd(worker, how));
    return worker;
  }

  private onEnd(worker: ServingWorker, how: string): void {
    this.metrics.end(worker);
    this.log.info({ worker: worker.process.pid, how }, 'worker ended');
    if (this.serving.delete(worker)) void this.replace(worker, how);
  }

  private async replace(
    { process, startedAt, pauseMs }: ServingWorker,
    how: string,
  ): Promise<void> {
    let said = `Worker ${process.pid} ended with ${how}`;
    let pause = performance.now() - startedAt > YOUNG_MS ? 0 : pauseMs;
    while (!this.isStopping) {
      pause = Math.min(Math.max(FIRST_PAUSE_MS, 2 * pause), LONGEST_PAUSE_MS);
      warn(`${said}: another one starts in ${pause / 1000} s.`);
      await sleep(pause, undefined, { ref: false });
      if (this.isStopping) return;
      try {
        await this.add(pause);
        return;
      } catch (error) {
        said = `A worker did not start (${explain(error).join(' ')})`;
      }
    }
  }

  private async succeed(worker: ServingWorker): Promise<void> {
    if (this.isStopping || !this.serving.has(worker)) return;
    const successor = await this.add(0);
    // A worker that died meanwhile has been replaced already, so its successor is one too many.
    const last = this.serving.has(worker) ? worker : successor;
    if (this.isStopping || !this.serving.delete(last)) return;
    const patience = sleep(SHUTDOWN_MS, undefined, { ref: false });
    const counted = await Promise.race([
      last.channel.ask<MetricValues>('retire').catch(() => undefined),
      patience,
    ]);
    if (counted) this.metrics.keep(last, counted);
    await end(last.process);
  }
}

async function end(process: Worker['process']): Promise<void> {
  const ended = endOf(process);
  process.kill('SIGTERM');
  const hangs = setTimeout(() => process.kill('SIGKILL'), SHUTDOWN_MS + 1_000);
  await ended;
  clearTimeout(hangs);
}

async function endOf(process: Worker['process']): Promise<string> {
  if (process.exitCode === null && process.signalCode === null) {
    await new Promise((resolve) => process.once('exit', resolve));
  }
  return process.signalCode ?? `code ${process.exitCode}`;
}

function killAll(): void {
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL');
}

function warn(line: string): void {
  process.stderr.write(`${line}\n`);
}
