/** The bounds of a file and of a function are in eslint.config.js. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const MAX_README_LINES = 120;

test(`the README has at most ${MAX_README_LINES} lines`, () => {
  const lines = readFileSync('README.md', 'utf8').trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(MAX_README_LINES);
});
