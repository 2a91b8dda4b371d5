/** The documents and the planted faults name existing tests, files and texts. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';

const DECISIONS = [
  'docs/explain/batch.md',
  ...readdirSync('docs/explain/decisions').map((name) => `docs/explain/decisions/${name}`),
];

test.each(['SECURITY.md', 'docs/explain/reliability.md'])(
  '%s names tests that exist',
  (document) => {
    const named = [...readFileSync(document, 'utf8').matchAll(/`((?:\w+\/)?test\/[^`\s*]+)`/g)].map(
      ([, path]) => path as string,
    );
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  },
);

test.each(DECISIONS)(
  'each "Enforced by" of %s names files and names of the code that exist',
  (document) => {
    const text = readFileSync(document, 'utf8');
    const paragraphs = text
      .split('\n\n')
      .filter((paragraph) => paragraph.startsWith('Enforced by: '));
    expect(paragraphs).toHaveLength(text.match(/Enforced by/g)?.length ?? 0);
    for (const paragraph of paragraphs) {
      const named = [...paragraph.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string);
      expect(named).not.toEqual([]);
      expect(named.filter((name) => !(existsSync(name) || isInCode(name)))).toEqual([]);
    }
  },
);

test('docs/explain/design.md names files and names of the code that exist', () => {
  const text = readFileSync('docs/explain/design.md', 'utf8');
  const named = [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string);
  const paths = named.filter((name) => name.includes('/') || name.startsWith('.'));
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  // These are names of Nest and of the two libraries, which the code does not use.
  const foreign = ['save', 'ValidationPipe', 'validate()', 'plainToInstance()'];
  const own = named.filter((name) => !(paths.includes(name) || foreign.includes(name)));
  expect(own.filter((name) => !isInCode(name))).toEqual([]);
});

const FAULTS: { name: string; file: string; search: string; test: string }[] = JSON.parse(
  readFileSync('test/mutants/faults.json', 'utf8'),
);

test.each(FAULTS)(
  'the fault "$name" can be planted, and its test exists',
  ({ file, search, test }) => {
    expect([readFileSync(file, 'utf8').split(search).length - 1, existsSync(test)]).toEqual([
      1,
      true,
    ]);
  },
);

function isInCode(name: string): boolean {
  try {
    execFileSync('grep', ['-rqwF', name, 'src', 'migrations', '.dependency-cruiser.cjs']);
    return true;
  } catch {
    return false;
  }
}

test.each(['SECURITY.md', 'docs/explain/reliability.md'])(
  'every row of %s names a test',
  (document) => {
    const rows = readFileSync(document, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| ') && !/^\|[ -]+\|/.test(line));
    expect(rows.length).toBeGreaterThan(10);
    expect(
      rows
        .slice(1)
        .filter((row) => !/`(\w+\/)?test\/[^`]+` *(, `(\w+\/)?test\/[^`]+` *)*\|$/.test(row)),
    ).toEqual([]);
  },
);

/** Nobody reads these pages from end to end. */
const REFERENCES = ['reference/api.md', 'reference/metrics.md', 'explain/performance.md'];
const PAGES = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.md'),
);
const GUIDES = PAGES.filter((name) => !REFERENCES.includes(name) && !name.includes('decisions/'));

test.each([['README.md', 120], ...GUIDES.map((name): [string, number] => [`docs/${name}`, 250])])(
  '%s has at most %i lines',
  (document, most) => {
    expect(readFileSync(document, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(most);
  },
);

const LINK = /\]\((?!\w+:)([^)#\s]+)(?:#[^)\s]*)?\)/g;
const WRITTEN = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'client/README.md',
  'conformance/README.md',
  'examples/stripe/README.md',
];

test.each([...WRITTEN, ...PAGES.map((name) => `docs/${name}`)])(
  'every link of %s leads to a file',
  (document) => {
    const linked = [...readFileSync(document, 'utf8').matchAll(LINK)].map(([, path]) =>
      join(dirname(document), path ?? ''),
    );
    expect(linked.filter((path) => !existsSync(path))).toEqual([]);
  },
);

test('llms.txt names every document, and no other', () => {
  const named =
    readFileSync('src/operator/openapi/reference/llms.txt', 'utf8').match(/\b[\w/-]+\.md/g) ?? [];
  const pages = PAGES.filter((name) => !name.includes('decisions/')).map((name) => `docs/${name}`);
  expect(named.toSorted()).toEqual(
    [...pages, 'client/README.md', 'docs/explain/decisions/README.md'].toSorted(),
  );
});
