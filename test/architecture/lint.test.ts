/** The rules of eslint.config.js, each proven on a fixture that breaks it. */
import { spawnSync } from 'node:child_process';
import { relative } from 'node:path';
import { expect, test } from '@jest/globals';

const FIXTURES = 'test/architecture/fixtures';
const FOLDERS = [
  'connections-are-shared',
  'no-superlinear-expressions',
  'application-takes-only-injectable',
  'durations-by-the-monotonic-clock',
];

interface Report {
  readonly filePath: string;
  readonly messages: readonly { readonly ruleId: string; readonly line: number }[];
}

test('each rule finds its violations', () => {
  const folders = FOLDERS.map((folder) => `${FIXTURES}/${folder}`);
  const { stdout, status } = spawnSync('node_modules/.bin/eslint', ['--format', 'json', ...folders], {
    encoding: 'utf8',
  });
  const found = (JSON.parse(stdout) as Report[]).flatMap(({ filePath, messages }) =>
    messages.map(({ ruleId, line }) => `${relative(FIXTURES, filePath)}:${line} ${ruleId}`),
  );
  const sessions = 'connections-are-shared/src/modules/checkout/adapters/persistence/typeorm-sessions.ts';
  const application = 'application-takes-only-injectable/src/modules/checkout/application';
  const expressions = 'no-superlinear-expressions/expressions.ts';
  expect([...new Set(found)].sort()).toEqual([
    `${application}/create-session.ts:1 no-restricted-imports`,
    `${application}/expire-session.ts:2 no-restricted-imports`,
    `${sessions}:1 no-restricted-imports`,
    `${sessions}:6 no-restricted-properties`,
    'durations-by-the-monotonic-clock/src/wait.ts:1 no-restricted-syntax',
    'durations-by-the-monotonic-clock/src/wait.ts:2 no-restricted-syntax',
    `${expressions}:1 regexp/no-super-linear-backtracking`,
    `${expressions}:1 regexp/no-super-linear-move`,
    `${expressions}:2 regexp/no-super-linear-backtracking`,
    `${expressions}:3 regexp/no-super-linear-move`,
    `${expressions}:4 regexp/no-super-linear-backtracking`,
  ]);
  expect(status).toBe(1);
});
