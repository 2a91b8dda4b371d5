import { type AddressInfo, Server as SocketServer } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Config } from '../platform/config.js';
import type { TillgateAdapter } from '../platform/http/adapter.js';
import { Metrics, type MetricValues } from '../platform/telemetry/metrics.js';
import { createApplication } from './application.js';
import { makeDemo, tour, whereKeysAre } from './demo.js';

/** Requests still running when it is told to stop are given as long as a statement may take; `docker stop` waits 10 s. */
const DRAIN_MS = 5_000;
/** A client that is going to use its open connection again has done so by then. */
const IDLE_MS = 2_000;

/** What serves: this process alone, or the workers it has started. */
export interface Serving {
  /** Where it listens and, on an embedded database, the tour or where its keys are. */
  announcement(): Promise<string>;
  close(): Promise<void>;
  /** Replaces the processes that serve, if they are others than this one. */
  restart?(): void;
}

/** The application, listening. */
export class Server implements Serving {
  private constructor(
    private readonly application: NestFastifyApplication,
    private readonly config: Config,
  ) {}

  static async start(config: Config, databaseUrl: string): Promise<Server> {
    const server = new Server(await createApplication(config, databaseUrl), config);
    try {
      await server.listenQuietly();
      collectWhatStartingLeft();
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  get metrics(): Metrics {
    return this.application.get(Metrics);
  }

  async announcement(): Promise<string> {
    const { host, databaseUrl, dataDir } = this.config;
    const { port } = this.application.getHttpServer().address() as AddressInfo;
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
    const line = `Tillgate listens on ${url}`;
    if (databaseUrl !== undefined) return line;
    const demo = await makeDemo(this.application, dataDir);
    return demo ? tour(url, demo) : `${whereKeysAre(dataDir)}\n${line}`;
  }

  async close(): Promise<void> {
    // A client that sends half a request and waits would keep the server from closing.
    setTimeout(() => this.application.getHttpServer().closeAllConnections(), DRAIN_MS).unref();
    await this.application.close();
  }

  /**
   * Closes without failing a single request, while others listen on the same port: unlike an ordinary close it leaves
   * idle connections open for a while, because the next request may already be on its way, and asks for their end with
   * its answer. Returns what was counted in the end.
   */
  async retire(): Promise<MetricValues> {
    (this.application.getHttpAdapter() as TillgateAdapter).stopKeepingAlive();
    const server = this.application.getHttpServer();
    setTimeout(() => server.closeIdleConnections(), IDLE_MS).unref();
    setTimeout(() => server.closeAllConnections(), IDLE_MS + DRAIN_MS).unref();
    // The http server's own close would end the idle connections at once.
    await new Promise((resolve) => SocketServer.prototype.close.call(server, resolve));
    const values = await this.metrics.values();
    await this.close();
    return values;
  }

  /** Fastify logs where it listens, or why it cannot, in JSON; here that is said in plain words. */
  private async listenQuietly(): Promise<void> {
    const { port, host, logLevel } = this.config;
    const { log } = this.application.getHttpAdapter().getInstance();
    log.level = 'silent';
    await this.application.listen(port, host);
    log.level = logLevel;
  }
}

/**
 * A fifth of the memory is garbage by now, and how far V8 lets the heap grow from here follows from what it holds. Only where
 * Node was told to `--expose-gc`, as `npm start` and the container do; docs/performance.md has the figures.
 */
function collectWhatStartingLeft(): void {
  globalThis.gc?.({ type: 'major', flavor: 'last-resort', execution: 'sync' });
}
