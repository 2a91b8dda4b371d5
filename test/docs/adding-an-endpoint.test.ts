/** The guides show the files as they are, and every line of a field. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { flat, shownIn } from '../support/shown-code.js';

const FIELD = /customer_?email|address of the customer\.' \}\)$/i;
const LINES = shownIn(readFileSync('docs/guides/adding-a-field.md', 'utf8'));
const GUIDES = ['adding-an-endpoint', 'adding-a-filter', 'agents-that-buy', 'testing-a-module'];
const PAGES = GUIDES.map((name) => readFileSync(`docs/guides/${name}.md`, 'utf8'));
const SHOWN = [...PAGES.flatMap(shownIn), ...LINES];

test('the guides show code as it is in the files', () => {
  expect(SHOWN.length).toBeGreaterThan(LINES.length);
  for (const { path, code } of SHOWN)
    expect(flat(readFileSync(path, 'utf8'))).toContain(flat(code));
});

test('the guide shows every line of the field', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((file) =>
    join('src', file),
  );
  const found = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((path) =>
      linesOf(path)
        .filter(isOfField)
        .map((line) => `${path}: ${line.trim()}`),
    );
  const shown = LINES.flatMap(({ path, code }) =>
    flat(code)
      .split('\n')
      .map((line) => `${path}: ${line}`),
  );
  expect(found.sort()).toEqual(shown.sort());
});

const linesOf = (path: string) => readFileSync(path, 'utf8').split('\n');
/**
 * The guide leaves out the line by which `tillgate redact --email` finds sessions, because only
 * this field has such a line.
 */
const isOfField = (line: string) => FIELD.test(line) && !line.includes('session.customerEmail');
