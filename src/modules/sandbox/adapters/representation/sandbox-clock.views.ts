import { constant, integer, object, timestamp, type ValueOf } from '../../../../request/schema.js';
import type { Moment } from '../../../../shared/clock.js';
import { MOST_AHEAD_SECONDS } from '../../../access/index.js';

export const SANDBOX_CLOCK = object(
  {
    object: constant('test_helpers.clock', 'Object type.'),
    now: timestamp('Time that the clock shows, in Unix seconds.'),
    ahead_seconds: integer('How far the clock is ahead of real time, in seconds.', {
      minimum: 0,
      maximum: MOST_AHEAD_SECONDS,
      examples: [86_400],
    }),
  },
  { name: 'SandboxClock', description: "The clock of your organization's test mode." },
);

export function sandboxClockView({ now, ahead }: Moment): ValueOf<typeof SANDBOX_CLOCK> {
  return { object: 'test_helpers.clock', now: Math.floor(now / 1000), ahead_seconds: ahead / 1000 };
}
