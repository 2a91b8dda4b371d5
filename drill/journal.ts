import type { Clock } from './clock.js';

/** A request arrived at this moment, or something else happened. */
export interface Moment {
  readonly place: number;
  readonly at: string;
}

interface Line extends Moment {
  /** The refund is undefined for an event of a worker as a whole. */
  readonly refund: string | undefined;
  readonly who: string;
  readonly what: string;
}

const MOST_LINES = 60;
const LINES_AT_THE_END = 20;
/** Repeated lines are folded if there are more in a row than this. */
const MOST_IN_TURN = 4;
const LEAST_REPEATED = 3;

/** Notes events in words, with their time. */
export class Journal {
  private readonly lines: Line[] = [];
  private places = 0;

  constructor(private readonly clock: Clock) {}

  moment(): Moment {
    return { place: this.places++, at: this.clock.label() };
  }

  /** Notes an event. The outcome of a request is noted at the moment when the request arrived. */
  note(refund: string | undefined, who: string, what: string, moment = this.moment()): void {
    this.lines.push({ ...moment, refund, who, what });
  }

  /**
   * Returns the events of one refund. Events of a worker as a whole belong to it if the worker had
   * the refund last.
   */
  history(refund: string): string[] {
    const lines = this.lines.toSorted((one, other) => one.place - other.place);
    const history: Line[] = [];
    const last = lines.findLastIndex((line) => line.refund === refund);
    for (const line of lines.slice(0, last + 1)) {
      const isOwn =
        line.refund === refund || (line.refund === undefined && history.at(-1)?.who === line.who);
      if (isOwn) history.push(line);
    }
    return shortened(folded(history));
  }
}

/** Shows repeated events once, whichever worker caused them and under whichever claim. */
function folded(lines: readonly Line[]): string[] {
  const shown: string[] = [];
  const kinds = lines.map(({ what }) => what.replace(/claim \d+/g, 'claim'));
  const timesOf = (start: number, length: number) => {
    let end = start + length;
    while (end < lines.length && kinds[end] === kinds[end - length]) end += 1;
    return Math.floor((end - start) / length);
  };
  for (let start = 0; start < lines.length; ) {
    const lengths = Array.from({ length: MOST_IN_TURN }, (_, place) => place + 1);
    const length = lengths.find((one) => timesOf(start, one) >= LEAST_REPEATED) ?? 1;
    const times = timesOf(start, length);
    shown.push(
      ...lines
        .slice(start, start + length)
        .map(({ at, who, what }) => `${at}  ${who.padEnd(8)}  ${what}`),
    );
    const isRepeated = times >= LEAST_REPEATED;
    const until = lines[start + length * times - 1]?.at;
    if (isRepeated)
      shown.push(
        `… ${length > 1 ? `these ${length} lines ` : ''}${times - 1} times more, until ${until}`,
      );
    start += isRepeated ? length * times : 1;
  }
  return shown;
}

function shortened(lines: readonly string[]): string[] {
  if (lines.length <= MOST_LINES) return [...lines];
  const [first, last] = [
    lines.slice(0, MOST_LINES - LINES_AT_THE_END - 1),
    lines.slice(-LINES_AT_THE_END),
  ];
  return [...first, `… ${lines.length - MOST_LINES + 1} lines are left out`, ...last];
}
