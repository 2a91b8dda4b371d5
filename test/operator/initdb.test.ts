/** A failure of initdb becomes a sentence that says what to do, whatever initdb prints. */
import { spawn } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { initialized } from '../../src/operator/embedded-postgres/postgres-process.js';

const LINKED =
  'its libraries are not linked. Run npm ci without --ignore-scripts, or set DATABASE_URL to a database of your own.';

test.each([
  ['its libraries are missing', 'exit 127', LINKED],
  ['it is stopped', 'kill -INT $$', 'initdb was stopped by SIGINT.'],
  [
    'it gives up',
    'echo working; echo "initdb: error: no space left" >&2; exit 1',
    'initdb: error: no space left',
  ],
  ['it says nothing', 'exit 3', 'initdb ended with 3.'],
])('initdb fails with a sentence when %s', async (_, script, sentence) => {
  const initdb = spawn('sh', ['-c', script], { stdio: ['ignore', 'ignore', 'pipe'] });
  await expect(initialized(initdb)).rejects.toThrow(new Error(sentence));
});

test('initdb succeeds although it prints a warning', async () => {
  const initdb = spawn('sh', ['-c', 'echo warning >&2'], { stdio: ['ignore', 'ignore', 'pipe'] });
  await initialized(initdb);
  expect(initdb.exitCode).toBe(0);
});
