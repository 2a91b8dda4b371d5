const LINE_EVERY_MS = 10_000;
const REDRAW_EVERY_MS = 200;
const CLEAR_LINE = '\r\u001b[K';

/** Progress is written to this: a terminal, a file or a pipe. */
export interface ProgressOutput {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

interface Part {
  readonly what: string;
  readonly total: number | undefined;
  readonly beganAt: number;
  readonly timer: NodeJS.Timeout;
  done: number;
  now: string | undefined;
}

/**
 * Shows how far long work has come, on stderr, because stdout has the result alone. A terminal has
 * one line that is drawn again and again. Any other output gets a line every ten seconds.
 */
export class Progress {
  private part: Part | undefined;

  constructor(private readonly output: ProgressOutput = process.stderr) {}

  /** Begins a part of the work and ends the part before it. Give the total where it is known. */
  begin(what: string, total?: number): void {
    this.end();
    const timer = setInterval(() => this.show(), this.isTerminal ? REDRAW_EVERY_MS : LINE_EVERY_MS);
    // The work keeps the process alive, its progress does not.
    timer.unref();
    this.part = { what, total, beganAt: performance.now(), timer, done: 0, now: undefined };
  }

  add(count = 1): void {
    if (this.part) this.part.done += count;
  }

  /** Names what is being worked on now. */
  name(now: string): void {
    if (this.part) this.part.now = now;
  }

  /** Writes a whole line, without disturbing the line of a terminal. */
  say(line: string): void {
    this.output.write(`${this.isTerminal ? CLEAR_LINE : ''}${line}\n`);
  }

  /** Ends the part that runs. A terminal keeps its last line. */
  end(): void {
    const { part } = this;
    if (part === undefined) return;
    clearInterval(part.timer);
    if (this.isTerminal && part.done > 0) this.say(lineOf(part));
    else if (this.isTerminal) this.output.write(CLEAR_LINE);
    this.part = undefined;
  }

  private get isTerminal(): boolean {
    return this.output.isTTY ?? false;
  }

  private show(): void {
    if (this.part === undefined) return;
    const line = lineOf(this.part);
    if (!this.isTerminal) this.say(line);
    // A longer line would wrap, and only its last row would be drawn again.
    else this.output.write(`${CLEAR_LINE}${line.slice(0, (this.output.columns ?? 80) - 1)}`);
  }
}

/** For example: "Checking rows: 2,000 of 9,000 (payments add up), 400 a second, after 5 s". */
function lineOf({ what, total, beganAt, done, now }: Part): string {
  const seconds = (performance.now() - beganAt) / 1_000;
  const of = total === undefined ? '' : ` of ${grouped(total)}`;
  const name = now === undefined ? '' : ` (${now})`;
  const rate = seconds > 0 ? done / seconds : 0;
  const shownRate = rate < 10 ? rate.toFixed(1) : grouped(Math.round(rate));
  const soFar = `${what}: ${grouped(done)}${of}${name}`;
  return `${soFar}, ${shownRate} a second, after ${Math.round(seconds)} s`;
}

const grouped = (count: number): string => count.toLocaleString('en');
