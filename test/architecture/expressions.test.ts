/** The rules against regular expressions that take more than linear time, each proven on a fixture. */
import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

const FIXTURE = 'test/architecture/fixtures/no-superlinear-expressions/expressions.ts';

interface Report {
  readonly messages: readonly { readonly ruleId: string; readonly line: number }[];
}

test('an expression whose time grows faster than its text is found', () => {
  const { stdout, status } = spawnSync('node_modules/.bin/eslint', ['--format', 'json', FIXTURE], { encoding: 'utf8' });
  const [report] = JSON.parse(stdout) as Report[];
  const found = new Set(report?.messages.map(({ ruleId, line }) => `${line} ${ruleId}`));
  expect([...found]).toEqual([
    '1 regexp/no-super-linear-move',
    '1 regexp/no-super-linear-backtracking',
    '2 regexp/no-super-linear-backtracking',
    '3 regexp/no-super-linear-move',
    '4 regexp/no-super-linear-backtracking',
  ]);
  expect(status).toBe(1);
});
