import Sequencer from '@jest/test-sequencer';

/** These files take longest. */
const LONG = [
  ...['drill', 'release', 'connect-your-ledger', 'soak', 'fuzz', 'embedded'].map(
    (name) => `/test/long/${name}`,
  ),
  '/test/operator/',
  '/test/persistence/',
  '/test/model/',
];

/**
 * Jest begins with the files that took longest the last time. Without a last time, the slowest
 * files are first.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const first = LONG.flatMap((place) =>
      sorted.filter(({ path, duration }) => duration === undefined && path.includes(place)),
    );
    return [...first, ...sorted.filter((test) => !first.includes(test))];
  }
}
