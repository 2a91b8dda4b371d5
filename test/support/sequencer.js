import Sequencer from '@jest/test-sequencer';

/** What takes a minute and more, the longest first. */
const LONG = ['/test/fuzz/', '/test/docs/', '/test/http/model', '/test/faults/'];

/** Jest begins with the files that took longest the last time; where there was no last time, these are first. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const first = LONG.flatMap((place) =>
      sorted.filter(({ path, duration }) => duration === undefined && path.includes(place)),
    );
    return [...first, ...sorted.filter((test) => !first.includes(test))];
  }
}
