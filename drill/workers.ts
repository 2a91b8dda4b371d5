/** Runs the command under test twice side by side, and starts it again whenever it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Complaint } from './complaint.js';

export type Environment = Readonly<Record<string, string>>;

export interface Command {
  readonly command: readonly string[];
  /** True if the command may end by itself at any time. */
  readonly restart: boolean;
}

const START_AGAIN_MS = 500;
/**
 * The last output of a command is awaited for so long. Processes that it has left may keep its
 * output open for ever.
 */
const LAST_WORDS_MS = 200;
/** A command that ends so often by itself does not work. */
const MOST_ENDINGS = 10;
const SHOWN_CHARACTERS = 2_000;

export class Workers {
  /** Counts how often the command was killed. */
  kills = 0;
  private readonly children: (ChildProcess | undefined)[] = [];
  private readonly loops: Promise<void>[] = [];
  private endings = 0;
  private failure: Error | undefined;
  private output = '';
  private paused = Promise.withResolvers<void>();
  private isStopping = false;

  constructor(
    private readonly tested: Command,
    private readonly environments: readonly Environment[],
    private readonly onKill: (place: number) => void,
  ) {}

  /** Counts the commands that are running or are about to be started again. */
  get count(): number {
    return this.loops.length;
  }

  /** Starts so many commands, unless they are running. */
  start(count: number): void {
    this.isStopping = false;
    const more = this.environments.slice(0, count).entries();
    for (const [place, environment] of more) {
      this.loops[place] ??= this.keep(place, environment);
    }
  }

  /**
   * Throws when the command does not work. `isUsed` says whether it has asked Tillgate for
   * anything.
   */
  check(isUsed: boolean): void {
    const { restart } = this.tested;
    if (this.failure)
      throw new Complaint(`The command cannot be started: ${this.failure.message}.`);
    if (this.endings < MOST_ENDINGS || (restart && isUsed)) return;
    const ended = `The command ended by itself ${this.endings} times`;
    const output = this.output === '' ? ' It printed nothing.' : ` It printed:\n${this.output}`;
    if (restart) throw new Complaint(`${ended}, and has not asked Tillgate for anything.${output}`);
    throw new Complaint(
      `${ended}; a worker runs until it is stopped. Add --restart before -- if yours works once and ends.${output}`,
    );
  }

  /** Kills a command with all processes that it started, as if the machine had lost its power. */
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
    await Promise.all(this.loops.splice(0));
  }

  private async keep(place: number, environment: Environment): Promise<void> {
    const [program = '', ...words] = this.tested.command;
    while (
      !this.isStopping &&
      !this.failure &&
      (this.tested.restart || this.endings < MOST_ENDINGS)
    ) {
      const kills = this.kills;
      const env = { ...process.env, ...environment };
      const child = spawn(program, words, {
        env,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk) => {
          this.output = `${this.output}${chunk}`.slice(-SHOWN_CHARACTERS);
        });
      }
      this.children[place] = child;
      const code = await this.ended(child);
      // Processes that the command has started and left are ended with it.
      if (child.pid !== undefined) killGroup(child.pid);
      this.children[place] = undefined;
      if (code !== null || this.kills === kills) this.endings += 1;
      if (code !== null) await Promise.race([sleep(START_AGAIN_MS), this.paused.promise]);
    }
  }

  private ended(child: ChildProcess): Promise<number | null> {
    return new Promise((resolve) => {
      child.once('close', resolve);
      child.once('exit', (code) => setTimeout(resolve, LAST_WORDS_MS, code));
      child.once('error', (error) => {
        this.failure = error;
        resolve(null);
      });
    });
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has ended already.
  }
}
