/** The clock of the drill moves only when the workers are done. */
import { expect, test } from '@jest/globals';
import { Activity } from '../../drill/activity.js';

const claims = (activity: Activity, ...refunds: string[]) =>
  activity.hears({ worker: 0, isClaim: true, refunds, hour: activity.hour });
const lists = (activity: Activity) =>
  activity.hears({ worker: 0, isClaim: false, refunds: [], hour: activity.hour });

test('a worker is idle after a claim gave it nothing, until a claim gives it a refund or the clock moves', () => {
  const activity = new Activity(() => undefined);
  const seen = [activity.isIdle(0)];
  const step = (what: () => void) => {
    what();
    seen.push(activity.isIdle(0));
  };
  step(() => claims(activity));
  step(() => claims(activity, 're_1'));
  step(() => lists(activity));
  step(() => claims(activity));
  step(() => activity.countAnew());
  expect(seen).toEqual([false, true, false, false, true, false]);
});

test('an answer to a request of the hour before says nothing about this hour', () => {
  const activity = new Activity(() => undefined);
  const { hour } = activity;
  activity.countAnew();
  activity.hears({ worker: 0, isClaim: true, refunds: [], hour });
  expect(activity.isIdle(0)).toBe(false);
});

test('a worker that never claims is idle when it has heard a list', () => {
  const activity = new Activity(() => undefined);
  lists(activity);
  expect(activity.isIdle(0)).toBe(true);
});

test('a worker may continue with its refunds until it has sent a request about each of them', () => {
  const activity = new Activity(() => undefined);
  claims(activity, 're_1', 're_2');
  activity.goesOn(0, 're_1');
  const before = activity.mayGoOn(0);
  activity.goesOn(0, 're_2');
  expect([before, activity.mayGoOn(0)]).toEqual([true, false]);
});

test('a killed worker is not idle, and does not continue', () => {
  const activity = new Activity(() => undefined);
  claims(activity, 're_1');
  claims(activity);
  activity.killed(0);
  expect([activity.isIdle(0), activity.mayGoOn(0)]).toEqual([false, false]);
});
