/** Durations are measured by the monotonic clock. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

/** [a file that reads the time of day, how often it does] */
const TIMES_OF_DAY = [
  // An option like 30d ends at an instant.
  ['src/cli/arguments.ts', 2],
  // Compared with the time that the file system gave a file.
  ['src/embedded-postgres/postgres-process.ts', 1],
  ['src/platform/clock.ts', 1],
];

test('the time of day is read in these places only', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const found = files.map((file) => {
    const path = join('src', file);
    return [path, [...readFileSync(path, 'utf8').matchAll(/\bDate\.now\b|new Date\(\)/g)].length] as const;
  });
  expect(found.filter(([, times]) => times > 0).sort()).toEqual(TIMES_OF_DAY);
});
