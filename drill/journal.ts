import type { Clock } from './clock.js';

interface Line {
  /** Undefined of what happens to a worker as a whole. */
  readonly refund: string | undefined;
  readonly who: string;
  readonly text: string;
}

/** What happened, in words, and when. */
export class Journal {
  private readonly lines: Line[] = [];

  constructor(private readonly clock: Clock) {}

  note(refund: string | undefined, who: string, what: string): void {
    this.lines.push({ refund, who, text: `${this.clock.label()}  ${who.padEnd(8)}  ${what}` });
  }

  /** Of one refund: of a worker as a whole only what happens to the one that had the refund last. */
  history(refund: string): string[] {
    const history: Line[] = [];
    const last = this.lines.findLastIndex((line) => line.refund === refund);
    for (const line of this.lines.slice(0, last + 1)) {
      const isOwn = line.refund === refund || (line.refund === undefined && history.at(-1)?.who === line.who);
      if (isOwn) history.push(line);
    }
    return history.map(({ text }) => text);
  }
}
