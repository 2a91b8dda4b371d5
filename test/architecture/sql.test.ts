/** docs/sql has each statement as PostgreSQL prepares it: a change of one is seen in a review. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

test('docs/sql is up to date: npm run sql', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tillgate-sql-'));
  try {
    execFileSync(process.execPath, ['dist/tools/statements/print.js', directory]);
    expect(filesIn('docs/sql')).toEqual(filesIn(directory));
  } finally {
    rmSync(directory, { recursive: true });
  }
});

function filesIn(directory: string): Record<string, string> {
  return Object.fromEntries(readdirSync(directory).map((file) => [file, readFileSync(join(directory, file), 'utf8')]));
}
