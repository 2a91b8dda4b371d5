/** The command under test, twice side by side. It is started again whenever it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Complaint } from './complaint.js';

export type Environment = Readonly<Record<string, string>>;

const START_AGAIN_MS = 500;
/** A command that ends so often by itself does not work. */
const MOST_ENDINGS = 10;
const SHOWN_CHARACTERS = 2_000;

export class Workers {
  /** How often it was killed. */
  kills = 0;
  private readonly children: (ChildProcess | undefined)[] = [];
  private readonly loops: Promise<void>[] = [];
  private endings = 0;
  private failure: Error | undefined;
  private output = '';
  private paused = Promise.withResolvers<void>();
  private isStopping = false;

  constructor(
    private readonly command: readonly string[],
    private readonly environments: readonly Environment[],
    private readonly onKill: (place: number) => void,
  ) {}

  start(): void {
    this.isStopping = false;
    this.loops.splice(0, Infinity, ...this.environments.map((environment, place) => this.keep(place, environment)));
  }

  /** Throws when the command does not work. */
  check(): void {
    if (this.failure) throw new Complaint(`The command cannot be started: ${this.failure.message}.`);
    if (this.endings < MOST_ENDINGS) return;
    const output = this.output === '' ? ' It printed nothing.' : ` It printed:\n${this.output}`;
    throw new Complaint(
      `The command ended by itself ${this.endings} times; a worker runs until it is stopped.${output}`,
    );
  }

  /** With all processes that it started, as if the machine had lost its power. */
  kill(place: number): void {
    const { pid } = this.children[place] ?? {};
    if (pid === undefined) return;
    this.kills += 1;
    this.onKill(place);
    killGroup(pid);
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    this.paused.resolve();
    this.paused = Promise.withResolvers();
    for (const place of this.environments.keys()) this.kill(place);
    await Promise.all(this.loops);
  }

  private async keep(place: number, environment: Environment): Promise<void> {
    const [program = '', ...words] = this.command;
    while (!this.isStopping && !this.failure && this.endings < MOST_ENDINGS) {
      const kills = this.kills;
      const env = { ...process.env, ...environment };
      const child = spawn(program, words, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk) => {
          this.output = `${this.output}${chunk}`.slice(-SHOWN_CHARACTERS);
        });
      }
      this.children[place] = child;
      const code = await new Promise<number | null>((resolve) => {
        child.once('close', resolve);
        child.once('error', (error) => {
          this.failure = error;
          resolve(null);
        });
      });
      this.children[place] = undefined;
      if (code !== null || this.kills === kills) this.endings += 1;
      if (code !== null) await Promise.race([sleep(START_AGAIN_MS), this.paused.promise]);
    }
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
