import { Integer, Time } from '../../../../request/validation/fields.js';
import { MOST_AHEAD_SECONDS } from '../../../access/index.js';

const LAST_SECOND = 253_402_300_799;

export class AdvanceClockRequest {
  @Integer({
    min: 1,
    max: MOST_AHEAD_SECONDS,
    optional: true,
    description:
      'How far to advance the clock, in seconds. The clock can be at most 400 days ahead of ' +
      'real time.',
  })
  advance_seconds?: number;
  @Time({
    max: LAST_SECOND,
    optional: true,
    description:
      'Time to advance the clock to, in Unix seconds, instead of `advance_seconds`. Not before ' +
      'its current time.',
  })
  to?: number;
}
