import { describe, expect, test } from '@jest/globals';
import { type AttemptResult, verdictOn } from '../../src/modules/webhooks/domain/schedule.js';

const NOW = Date.UTC(2026, 0, 1);
const SECONDS = 1000;
const HOURS = 3_600_000;

const failed = (statusCode: number | null, retryAfter: string | null = null): AttemptResult => ({
  statusCode,
  error: null,
  retryAfter,
  durationMs: 1,
});

const delayOf = (attempt: number, result: AttemptResult, random = 0.5) => {
  const { nextAttemptAt } = verdictOn(attempt, result, NOW, () => random);
  return nextAttemptAt === null ? null : nextAttemptAt - NOW;
};

test('makes ten attempts, with a tenth of jitter at most', () => {
  const delays = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400].map(
    (seconds) => seconds * SECONDS,
  );
  const attempts = delays.map((_, index) => index + 1);
  expect(attempts.map((attempt) => delayOf(attempt, failed(500)))).toEqual(delays);
  expect(attempts.map((attempt) => delayOf(attempt, failed(null), 0))).toEqual(
    delays.map((delay) => delay * 0.9),
  );
  expect(attempts.map((attempt) => delayOf(attempt, failed(null), 1))).toEqual(
    delays.map((delay) => Math.round(delay * 1.1)),
  );
  expect(verdictOn(10, failed(500), NOW)).toEqual({ outcome: 'given_up', nextAttemptAt: null });
  expect(verdictOn(12, failed(500), NOW)).toEqual({ outcome: 'given_up', nextAttemptAt: null });
});

test.each([
  [200, 'delivered'],
  [204, 'delivered'],
  [299, 'delivered'],
  [410, 'gone'],
] as const)('ends the delivery after status %i', (status, outcome) => {
  expect(verdictOn(1, failed(status), NOW)).toEqual({ outcome, nextAttemptAt: null });
});

test.each([null, 199, 300, 302, 400, 404, 429, 500, 503])('goes on after status %s', (status) => {
  expect(verdictOn(1, failed(status), NOW).outcome).toBeNull();
});

describe('Retry-After', () => {
  test.each([
    ['puts the next attempt off by seconds', 429, '600', 600 * SECONDS],
    [
      'puts the next attempt off until a date',
      503,
      new Date(NOW + 2 * HOURS).toUTCString(),
      2 * HOURS,
    ],
    ['puts the next attempt off by a day at most', 503, '999999999', 24 * HOURS],
    ['never brings the next attempt before its schedule', 429, '1', 5 * SECONDS],
    ['is ignored if it is in the past', 429, new Date(NOW - HOURS).toUTCString(), 5 * SECONDS],
    ['is ignored if it is malformed', 429, 'soon', 5 * SECONDS],
    ['is ignored after any other status', 500, '600', 5 * SECONDS],
  ] as const)('%s', (_, status, retryAfter, expected) => {
    expect(delayOf(1, failed(status, retryAfter))).toBe(expected);
  });
});
