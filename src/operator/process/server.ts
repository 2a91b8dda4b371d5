import { type AddressInfo, Server as SocketServer } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import type { Config } from '../../platform/config.js';
import { VERSION } from '../../platform/version.js';
import type { TillgateAdapter } from '../../request/adapter.js';
import { PublicUrl } from '../../request/public-url.js';
import { Metrics, type MetricValues } from '../telemetry/metrics.js';
import { OperationsController } from '../telemetry/operations.controller.js';
import { createApplication } from './application.js';
import { makeDemo, reminder } from './demo.js';
import { invitation, tour } from './demo-tour.js';
import { openLog } from './log.js';
import { startTracing, type Tracing } from './tracing.js';

/**
 * Running requests have five seconds to finish, as long as a statement may take; `docker stop`
 * waits 10 s.
 */
const DRAIN_MS = 5_000;
/**
 * All workers that are stopped at once have stopped taking connections after this time. A client
 * that opens a connection then is refused at once, not cut off in the middle of a request.
 */
const ALL_STOP_MS = 250;
/** An idle connection stays open this long, so that its client can still send its next request. */
const IDLE_MS = 2_000;
/**
 * This many connections may wait to be accepted. Node's default is 511; a caller beyond it tries
 * again a second later.
 */
const BACKLOG = 4_096;

/** In a quiet second, the event loop has work for less than this share of the time. */
const QUIET_SHARE = 0.5;
const QUIET_MS = 1_000;

export class Server {
  private constructor(
    private readonly application: NestFastifyApplication,
    private readonly config: Config,
    private readonly tracing: Tracing,
  ) {}

  static async start(config: Config, databaseUrl: string): Promise<Server> {
    const tracing = await startTracing(process.env);
    const log = await openLog(config);
    const isEmbedded = config.databaseUrl === undefined;
    const server = new Server(
      await createApplication(config, databaseUrl, { log, isEmbedded }),
      config,
      tracing,
    );
    try {
      await server.listenQuietly(log);
      if (isEmbedded) server.application.get(PublicUrl).value ??= server.address();
      collectWhenQuiet();
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  get metrics(): Metrics {
    return this.application.get(Metrics);
  }

  /**
   * Returns the address and a text for people. On an embedded database, the text also has the tour
   * or the place of its keys.
   */
  async announcement(): Promise<{ url: string; text: string }> {
    const { databaseUrl, dataDir } = this.config;
    const url = this.address();
    const line = `Tillgate ${VERSION} listens on ${url}`;
    if (databaseUrl !== undefined) return { url, text: line };
    const demo = await makeDemo(this.application, dataDir);
    const text = demo
      ? `\n${line}\n\n${invitation(demo)}\n${tour(url, demo)}`
      : `\n${line}\n${await reminder(this.application, url, dataDir)}\nAPI reference: ${url}/docs`;
    return { url, text };
  }

  async close(): Promise<void> {
    this.application.get(OperationsController).end();
    await this.drain();
    await this.application.close();
    // A collector that cannot be reached must not make the stop fail.
    await this.tracing?.shutdown().catch(() => undefined);
  }

  /**
   * Closes while other processes listen on the port, and returns the metrics that this process
   * counted.
   */
  async retire(): Promise<MetricValues> {
    await this.drain();
    const values = await this.metrics.values(false);
    await this.close();
    return values;
  }

  /**
   * Takes no new connections, and closes the open ones without failing a request. Idle ones stay
   * for IDLE_MS.
   */
  private async drain(): Promise<void> {
    const server = this.application.getHttpServer();
    const adapter = this.application.getHttpAdapter() as TillgateAdapter;
    setTimeout(() => adapter.stopKeepingAlive(), ALL_STOP_MS).unref();
    setTimeout(() => server.closeIdleConnections(), IDLE_MS).unref();
    // A client that never finishes its request would otherwise keep the server from closing.
    setTimeout(() => server.closeAllConnections(), IDLE_MS + DRAIN_MS).unref();
    // http.Server.close() ends idle connections at once, and net.Server.close() does not.
    await new Promise((resolve) => SocketServer.prototype.close.call(server, resolve));
  }

  private address(): string {
    const { host } = this.config;
    const { port } = this.application.getHttpServer().address() as AddressInfo;
    return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  }

  /**
   * Silences what Fastify and Nest log about listening, because the announcement or an error
   * message says the same.
   */
  private async listenQuietly(log: Logger): Promise<void> {
    const { port, host, logLevel } = this.config;
    const logs = [log, this.application.getHttpAdapter().getInstance().log];
    for (const one of logs) one.level = 'silent';
    await this.application.listen({ port, host, backlog: BACKLOG });
    for (const one of logs) one.level = logLevel;
  }
}

/**
 * Collects the garbage of the start once, in the first quiet second. V8 sizes the heap by the
 * memory in use, and a fifth of that is garbage after the start (docs/explain/performance.md). The
 * collection takes a tenth of a second, for which neither the start nor a busy process waits.
 */
function collectWhenQuiet(): void {
  const before = performance.eventLoopUtilization();
  const look = () => {
    if (performance.eventLoopUtilization(before).utilization > QUIET_SHARE) collectWhenQuiet();
    else globalThis.gc?.({ type: 'major', flavor: 'last-resort', execution: 'sync' });
  };
  setTimeout(look, QUIET_MS).unref();
}
