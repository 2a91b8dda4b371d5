/**
 * `npm run generate` writes these files. They are committed, so a review sees each change of them.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const TYPES = 'client/src/description.ts';

const run = (words: readonly string[], input = ''): string =>
  execFileSync(process.execPath, words, {
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
    input,
  });

function clientTypes(): string {
  const generator = 'node_modules/openapi-typescript/bin/cli.js';
  const types = run([generator, 'docs/openapi.json', '--default-non-nullable', 'false']);
  return run(
    ['node_modules/@biomejs/biome/bin/biome', 'check', '--write', `--stdin-file-path=${TYPES}`],
    types,
  );
}

test.each([
  ['docs/openapi.json', () => run(['dist/tools/openapi/print.js'])],
  ['docs/reference/metrics.md', () => run(['dist/tools/metrics.js'])],
  [TYPES, clientTypes],
])('%s is what npm run generate writes', (file, generated) => {
  expect(readFileSync(file, 'utf8')).toBe(generated());
});

test('docs/sql is what npm run generate writes', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tillgate-sql-'));
  try {
    run(['dist/tools/statements/print.js', directory]);
    expect(filesIn('docs/sql')).toEqual(filesIn(directory));
  } finally {
    rmSync(directory, { recursive: true });
  }
});

function filesIn(directory: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(directory).map((file) => [file, readFileSync(join(directory, file), 'utf8')]),
  );
}

const DRAWN = ['refunds-and-the-ledger', 'who-may-refund', 'chargeback-during-a-refund'];

test.each(DRAWN)('the diagram of docs/guides/%s.md is up to date: npm run generate', (guide) => {
  const directory = mkdtempSync(join(tmpdir(), 'tillgate-diagrams-'));
  try {
    run(['dist/tools/diagrams/print.js', directory]);
    const page = `docs/guides/${guide}.md`;
    expect(readFileSync(page, 'utf8')).toBe(readFileSync(join(directory, page), 'utf8'));
  } finally {
    rmSync(directory, { recursive: true });
  }
});
