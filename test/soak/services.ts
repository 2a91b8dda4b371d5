/**
 * Two services run as in production, one of them with two workers. They are started again whenever
 * they end.
 */
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, launch, type Started } from '../support/processes.js';
import { Network } from './network.js';

const WORKERS = ['1', '2'];
const LISTENS = /listens on http:\S+:(\d+)\n/;
const POLL_MS = 20;

export class Services {
  private readonly running: (Started | undefined)[] = [];
  private readonly loops: Promise<void>[] = [];
  private isStopping = false;
  private outside: Network | undefined;

  private constructor(private readonly databaseUrl: string) {}

  static async open(databaseUrl: string): Promise<Services> {
    const services = new Services(databaseUrl);
    services.outside = await Network.open(() => services.anyPort());
    services.loops.push(...WORKERS.map((workers, place) => services.keep(place, workers)));
    return services;
  }

  get network(): Network {
    return this.outside as Network;
  }

  /** Clients connect to this URL, through the network. */
  get url(): string {
    return `http://127.0.0.1:${this.network.port}`;
  }

  kill(place: number, signal: NodeJS.Signals): void {
    this.running[place]?.child.kill(signal);
  }

  killWorker(): void {
    const parent = String(this.running[1]?.child.pid ?? 0);
    try {
      const [worker] = execFileSync('pgrep', ['-P', parent, '-f', 'worker.js'], {
        encoding: 'utf8',
      }).split('\n');
      process.kill(Number(worker), 'SIGKILL');
    } catch {
      // No service listens at this moment.
    }
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    for (const server of this.running) server?.child.kill('SIGTERM');
    await Promise.all(this.loops);
    this.network.close();
  }

  /** Returns the port of a service that listens, as a load balancer would choose one. */
  private anyPort(): number | undefined {
    const listening = this.running.filter((server) => server !== undefined);
    const any = listening[Math.floor(Math.random() * listening.length)];
    return any && Number(LISTENS.exec(any.stdout())?.[1]);
  }

  /**
   * Starts a service again, as an orchestrator does. A service without its database does not start,
   * and is started once more.
   */
  private async keep(place: number, workers: string): Promise<void> {
    const environment = {
      DATABASE_URL: this.databaseUrl,
      WEBHOOK_ALLOW_PRIVATE: 'true',
      WEB_CONCURRENCY: workers,
    };
    while (!this.isStopping) {
      const started = launch(environment);
      const isListening = () => LISTENS.test(started.stdout());
      while (!isListening() && !this.isStopping && isRunning(started.child.pid as number))
        await sleep(POLL_MS);
      if (this.isStopping) started.child.kill('SIGTERM');
      else if (isListening()) this.running[place] = started;
      await started.ended;
      this.running[place] = undefined;
    }
  }
}
