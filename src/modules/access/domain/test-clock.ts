import { invalidParams, type ParamCode, paramError } from '../../../shared/errors.js';

export const MOST_AHEAD_SECONDS = 400 * 24 * 60 * 60;

/**
 * A step advances a clock by a number of seconds, or to a time in Unix seconds. Exactly one is
 * given.
 */
export interface Step {
  readonly advanceSeconds: number | undefined;
  readonly to: number | undefined;
}

export interface TestClock {
  readonly aheadSeconds: number;
  /** This is the part of `aheadSeconds` by which scheduled deliveries were already moved. */
  readonly scheduledSeconds: number;
}

/**
 * Returns the advanced clock. `now` is the real time in milliseconds. Refuses with invalid_param.
 */
export function advanced(
  { aheadSeconds, scheduledSeconds }: TestClock,
  step: Step,
  now: number,
): TestClock {
  const { advanceSeconds, to } = step;
  const shown = Math.floor(now / 1000) + aheadSeconds;
  if (advanceSeconds !== undefined && to !== undefined) {
    throw refused('to', 'invalid_value', 'must not be given together with advance_seconds');
  }
  if (advanceSeconds === undefined && to === undefined) {
    throw refused('advance_seconds', 'required', 'is required, unless to is given');
  }
  const param = to === undefined ? 'advance_seconds' : 'to';
  const seconds = advanceSeconds ?? (to as number) - shown;
  if (seconds < 0)
    throw refused(param, 'too_small', `must not be before ${shown}, the time of the clock`);
  if (aheadSeconds + seconds > MOST_AHEAD_SECONDS) {
    throw refused(
      param,
      'too_large',
      'must not take the clock further than 400 days ahead of real time',
    );
  }
  return { aheadSeconds: aheadSeconds + seconds, scheduledSeconds };
}

function refused(param: string, code: ParamCode, message: string) {
  return invalidParams([paramError(param, code, `${param} ${message}.`)]);
}
