/** Requests start together, again and again, so that each of them comes first in some races. */
import { setTimeout } from 'node:timers/promises';
import { type Reply, untilDecided } from './client.js';

const RACES = 100;
/** So many races run at a time, which is enough to contend but not to queue. */
const AT_ONCE = 10;
/**
 * A head start lasts up to this time, because some contestants have further to go and would never
 * win.
 */
const HEAD_START_MS = 4;

export async function inRaces<Result>(
  race: (number: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < RACES; start += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, (_, index) => race(start + index));
    results.push(...(await Promise.all(batch)));
  }
  return results;
}

/** Starts another contestant first each time, with no head start or a little one. */
export async function atOnce(
  requests: readonly (() => Promise<Reply>)[],
  number: number,
): Promise<Reply[]> {
  const headStart = Math.random() * HEAD_START_MS;
  return Promise.all(
    requests.map(async (request, place) => {
      await setTimeout(place === number % requests.length ? 0 : headStart);
      return untilDecided(request);
    }),
  );
}
