/** What fits on a few screens is read whole. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const MAX_SOURCE_LINES = 220;
const MAX_README_LINES = 180;

const FILES = ['src', 'migrations'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file)),
);

test(`no source file has more than ${MAX_SOURCE_LINES} lines`, () => {
  expect(FILES.length).toBeGreaterThan(50);
  const long = FILES.map((file) => ({ file, lines: linesOf(file) })).filter(({ lines }) => lines > MAX_SOURCE_LINES);
  expect(long).toEqual([]);
});

test(`the README has at most ${MAX_README_LINES} lines`, () => {
  expect(existsSync('README.md')).toBe(true);
  expect(linesOf('README.md')).toBeLessThanOrEqual(MAX_README_LINES);
});

function linesOf(file: string): number {
  return readFileSync(file, 'utf8').trimEnd().split('\n').length;
}
