/** The tests that the documents name exist. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const DECISIONS = readdirSync('docs/decisions').map((name) => `docs/decisions/${name}`);

test.each(['SECURITY.md', 'docs/reliability.md'])('%s names tests that exist', (document) => {
  const named = [...readFileSync(document, 'utf8').matchAll(/`(test\/[^`\s*]+)`/g)].map(([, path]) => path as string);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

test.each(DECISIONS)('each "Enforced by" of %s names files and names of the code that exist', (document) => {
  const text = readFileSync(document, 'utf8');
  const paragraphs = text.split('\n\n').filter((paragraph) => paragraph.startsWith('Enforced by: '));
  expect(paragraphs).toHaveLength(text.match(/Enforced by/g)?.length ?? 0);
  for (const paragraph of paragraphs) {
    const named = [...paragraph.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string);
    expect(named).not.toEqual([]);
    expect(named.filter((name) => !(existsSync(name) || isInCode(name)))).toEqual([]);
  }
});

function isInCode(name: string): boolean {
  try {
    execFileSync('grep', ['-rqwF', name, 'src', 'migrations', '.dependency-cruiser.cjs']);
    return true;
  } catch {
    return false;
  }
}

test.each(['SECURITY.md', 'docs/reliability.md'])('every row of %s names a test', (document) => {
  const rows = readFileSync(document, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\|[ -]+\|/.test(line));
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.slice(1).filter((row) => !/`test\/[^`]+` *(, `test\/[^`]+` *)*\|$/.test(row))).toEqual([]);
});

/** References, which nobody reads from end to end. */
const REFERENCES = ['api.md', 'metrics.md', 'performance.md'];
const GUIDES = readdirSync('docs').filter((name) => name.endsWith('.md') && !REFERENCES.includes(name));

test.each([['README.md', 120], ...GUIDES.map((name): [string, number] => [`docs/${name}`, 150])])(
  '%s has at most %i lines',
  (document, most) => {
    expect(readFileSync(document, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(most);
  },
);
