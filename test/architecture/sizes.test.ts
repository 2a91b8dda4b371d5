/** Bounds on sizes, so that a reader can take in the whole. Those of a file and a function are in eslint.config.js. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const MAX_COMMENT_PERCENT = 6;
/** The foundation of the modules, and all of src: sizes that were reached, with a little room. Lower them when they get smaller. */
const MAX_FOUNDATION_LINES = 4_300;
const MAX_LINES = 20_700;
const FOUNDATION = /^src\/(engine|persistence|request|platform|encryption)\//;
const MAX_README_LINES = 120;
/** All of test/, fixtures and tools included. */
const MAX_TEST_LINES = 27_200;

const SOURCES = ['src', 'tools'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file)),
);

test(`at most ${MAX_COMMENT_PERCENT} % of the lines are comments`, () => {
  const lines = SOURCES.flatMap(linesOf);
  const comments = lines.filter((line) => /^\s*(\/\/|\/\*|\*(?!\w))/.test(line));
  expect((100 * comments.length) / lines.length).toBeLessThanOrEqual(MAX_COMMENT_PERCENT);
});

test.each([
  ['the foundation of the modules', FOUNDATION, MAX_FOUNDATION_LINES],
  ['the source', /^src\//, MAX_LINES],
])('%s has few enough lines', (_, folder, most) => {
  const lines = SOURCES.filter((file) => folder.test(file)).flatMap(linesOf);
  expect(lines.length).toBeGreaterThan(most / 2);
  expect(lines.length).toBeLessThanOrEqual(most);
});

test('the tests have few enough lines', () => {
  const files = readdirSync('test', { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const lines = files.flatMap(({ parentPath, name }) => linesOf(join(parentPath, name)));
  expect(lines.length).toBeGreaterThan(MAX_TEST_LINES / 2);
  expect(lines.length).toBeLessThanOrEqual(MAX_TEST_LINES);
});

test(`the README has at most ${MAX_README_LINES} lines`, () => {
  expect(existsSync('README.md')).toBe(true);
  expect(linesOf('README.md').length).toBeLessThanOrEqual(MAX_README_LINES);
});

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8').trimEnd().split('\n');
}
