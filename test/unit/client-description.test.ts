/** The client's types are those of the committed description. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const TYPES = 'client/src/description.ts';
const run = (command: string, options: string[], input?: string) =>
  execFileSync(process.execPath, [`node_modules/${command}`, ...options], {
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
    ...(input === undefined ? {} : { input }),
  });

test(`${TYPES} is not stale: npm run client:types`, () => {
  const generated = run('openapi-typescript/bin/cli.js', ['docs/openapi.json', '--default-non-nullable', 'false']);
  const formatted = run('@biomejs/biome/bin/biome', ['check', '--write', `--stdin-file-path=${TYPES}`], generated);
  expect(readFileSync(TYPES, 'utf8') === formatted).toBe(true);
});
