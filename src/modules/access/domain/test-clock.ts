import { invalidParams, type ParamCode, paramError } from '../../../shared/errors.js';

export const MOST_AHEAD_SECONDS = 400 * 24 * 60 * 60;

/** How far to advance a clock: by a number of seconds, or to a time in Unix seconds. Exactly one is given. */
export interface Step {
  readonly advanceSeconds: number | undefined;
  readonly to: number | undefined;
}

export class TestClock {
  private constructor(
    readonly aheadSeconds: number,
    /** The part of `aheadSeconds` by which scheduled deliveries were already moved. */
    readonly scheduledSeconds: number,
  ) {}

  static restore(aheadSeconds: number, scheduledSeconds: number): TestClock {
    return new TestClock(aheadSeconds, scheduledSeconds);
  }

  /** The time that it shows, in Unix seconds. `now` is the real time in milliseconds. */
  at(now: number): number {
    return Math.floor(now / 1000) + this.aheadSeconds;
  }

  /** The advanced clock. `now` is the real time in milliseconds. Refuses with invalid_param. */
  advance({ advanceSeconds, to }: Step, now: number): TestClock {
    if (advanceSeconds !== undefined && to !== undefined) {
      throw refused('to', 'invalid_value', 'must not be given together with advance_seconds');
    }
    if (advanceSeconds === undefined && to === undefined) {
      throw refused('advance_seconds', 'required', 'is required, unless to is given');
    }
    const param = to === undefined ? 'advance_seconds' : 'to';
    const seconds = advanceSeconds ?? (to as number) - this.at(now);
    if (seconds < 0) throw refused(param, 'too_small', `must not be before ${this.at(now)}, the time of the clock`);
    if (this.aheadSeconds + seconds > MOST_AHEAD_SECONDS) {
      throw refused(param, 'too_large', 'must not take the clock further than 400 days ahead of real time');
    }
    return new TestClock(this.aheadSeconds + seconds, this.scheduledSeconds);
  }

  scheduled(): TestClock {
    return new TestClock(this.aheadSeconds, this.aheadSeconds);
  }
}

function refused(param: string, code: ParamCode, message: string) {
  return invalidParams([paramError(param, code, `${param} ${message}.`)]);
}
