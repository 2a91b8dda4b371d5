/**
 * The first day of the drill accuses a worker of an open refund only if no request was lost any
 * more.
 */
import { expect, test } from '@jest/globals';
import { Activity } from '../../drill/activity.js';
import { FirstDay } from '../../drill/first-day.js';
import { Waits } from '../../drill/waits.js';

const DAY = 24 * 3600;
const PATIENCE_SECONDS = 0.2;

/**
 * Plays the day of a worker that decides so many of its refunds in each step of the clock, and asks
 * for work unless it stands still.
 */
async function dayOf(
  count: number,
  decidedIn: (step: number) => number,
  { asks = true, isUrgent = true } = {},
) {
  const activity = new Activity(() => undefined);
  const waits = new Waits(
    activity,
    () => undefined,
    () => 1,
    PATIENCE_SECONDS,
  );
  const hearsNothing = () =>
    activity.hears({ worker: 0, isClaim: true, refunds: [], hour: activity.hour });
  const steps: (number | 'calm')[] = [];
  let left = count;
  if (asks) hearsNothing();
  const day = new FirstDay(waits, {
    advance: async (seconds) => {
      left -= decidedIn(steps.push(seconds));
      activity.countAnew();
      if (asks) hearsNothing();
    },
    isHeld: () => false,
    isUnanswered: () => false,
    calm: () => void steps.push('calm'),
    left: async () => ({ count: left, isUrgent }),
  });
  return { end: await day.play(), steps };
}

const daysOf = (steps: readonly (number | 'calm')[]) =>
  steps.map((seconds) => (seconds === 'calm' ? seconds : seconds / DAY));

test.concurrent('the first day ends when all refunds are decided', async () => {
  const { end, steps } = await dayOf(2, () => 1);
  expect({ end, steps }).toEqual({ end: 'all are decided', steps: [3600, 3600] });
});

test.concurrent('the first day skips hours in which nothing is left to decide', async () => {
  const { steps } = await dayOf(1, () => 1, { isUrgent: false });
  expect(daysOf(steps)).toEqual([0.5]);
});

test.concurrent('a worker that decides nothing after the last fault has left refunds after its longest lease', async () => {
  const { end, steps } = await dayOf(2, () => 0, { isUrgent: false });
  const before = [0.5, 0.5, 0.5, 0.5, 0.5, 1, 1];
  expect({ end, days: daysOf(steps) }).toEqual({
    end: 'some are left',
    days: [...before, 'calm', 61, 8],
  });
});

test.concurrent('a worker whose answers were lost until the last fault has time to decide', async () => {
  const { end } = await dayOf(2, (step) => (step > 9 ? 1 : 0), { isUrgent: false });
  expect(end).toBe('all are decided');
});

test.concurrent('a worker that still decides refunds at the end of the time has left none', async () => {
  const { end } = await dayOf(9, (step) => (step > 8 ? 1 : 0), { isUrgent: false });
  expect(end).toBe('time is up');
});

test.concurrent('a worker that asks for no work stands still', async () => {
  const { end, steps } = await dayOf(2, () => 0, { asks: false });
  expect({ end, steps }).toEqual({ end: 'it stands still', steps: [] });
});
