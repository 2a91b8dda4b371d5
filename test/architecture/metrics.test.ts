/** docs/reference/metrics.md is what the code prints. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

test('docs/reference/metrics.md is up to date: npm run metrics', () => {
  const printed = execFileSync(process.execPath, ['dist/tools/metrics.js'], { encoding: 'utf8' });
  expect(readFileSync('docs/reference/metrics.md', 'utf8')).toBe(printed);
});
