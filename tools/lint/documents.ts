/** The rules of the documents: what they name exists, and they stay short. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const read = (path: string) => readFileSync(path, 'utf8');
const namedIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => `${name}`);

const PAGES = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md') && !name.startsWith('node_modules/'))
  .map((name) => `docs/${name}`);
const isDecision = (page: string) => page.startsWith('docs/explain/decisions/');
const STRIPE = 'examples/stripe/README.md';
const OTHERS = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'client/README.md',
  'conformance/README.md',
  'mcp/README.md',
  STRIPE,
];
/** Each row of the tables in these documents names the tests of a promise. */
const PROMISES = ['SECURITY.md', 'docs/explain/reliability.md'];
/** Nobody reads these pages from end to end. */
const REFERENCES = [
  'docs/reference/api.md',
  'docs/operate/schema.md',
  'docs/reference/metrics.md',
  'docs/explain/performance.md',
];

const LINK = /\]\((?!\w+:)([^)#\s]+)(?:#[^)\s]*)?\)/g;
const TEST = /`((?:\w+\/)?test\/[^`\s*]+)`/g;
const NAMES_TESTS = /`(\w+\/)?test\/[^`]+` *(, `(\w+\/)?test\/[^`]+` *)*\|$/;

function isInCode(name: string): boolean {
  try {
    execFileSync('grep', ['-rqwF', name, 'src', 'migrations', '.dependency-cruiser.cjs']);
    return true;
  } catch {
    return false;
  }
}

function missingLinks(document: string): string[] {
  const links = [...read(document).matchAll(LINK)].map(([, path]) => `${path}`);
  return links.filter((path) => !existsSync(join(dirname(document), path)));
}

function missingTests(document: string): string[] {
  const tests = [...read(document).matchAll(TEST)].map(([, path]) => `${path}`);
  return tests.filter((path) => !existsSync(path));
}

function rowsWithoutTest(document: string): string[] {
  const rows = read(document)
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\|[ -]+\|/.test(line));
  return rows.slice(1).filter((row) => !NAMES_TESTS.test(row));
}

/** Returns the names in the paragraphs "Enforced by" that exist nowhere. */
function missingEnforcement(page: string): string[] {
  const paragraphs = read(page)
    .split('\n\n')
    .filter((paragraph) => paragraph.startsWith('Enforced by: '));
  const empty = paragraphs.filter((paragraph) => namedIn(paragraph).length === 0);
  const missing = paragraphs
    .flatMap(namedIn)
    .filter((name) => !(existsSync(name) || isInCode(name)));
  return [...empty, ...missing];
}

/** The code uses none of these names of Nest and of the two libraries. */
const FOREIGN = ['save', 'ValidationPipe', 'validate()', 'plainToInstance()'];

function missingInDesign(): string[] {
  const names = namedIn(read('docs/explain/design.md'));
  return names.filter((name) => {
    if (FOREIGN.includes(name) || existsSync(name)) return false;
    return name.includes('/') || !isInCode(name);
  });
}

function tooLong(page: string): string[] {
  const most = page === 'README.md' ? 120 : 250;
  const lines = read(page).trimEnd().split('\n').length;
  return lines > most ? [`${page} has ${lines} lines, and may have ${most}.`] : [];
}

interface Fault {
  readonly name: string;
  readonly file: string;
  readonly search: string;
  readonly test: string;
}

const canBePlanted = ({ file, search, test }: Fault): boolean =>
  existsSync(test) && existsSync(file) && read(file).split(search).length === 2;

function documentsOfAgents(): void {
  const named = read('src/operator/openapi/reference/llms.txt').match(/\b[\w/-]+\.md/g) ?? [];
  const pages = PAGES.filter((page) => !isDecision(page));
  const others = OTHERS.filter((page) => page !== STRIPE);
  const all = [...pages, ...others, 'docs/explain/decisions/README.md'];
  assert.deepEqual(named.toSorted(), all.toSorted());
}

export const DOCUMENT_RULES: Readonly<Record<string, () => void>> = {
  'every link of a document leads to a file': () =>
    assert.deepEqual([...OTHERS, ...PAGES].flatMap(missingLinks), []),
  'a document names existing tests': () => assert.deepEqual(PROMISES.flatMap(missingTests), []),
  'every promise names a test': () => assert.deepEqual(PROMISES.flatMap(rowsWithoutTest), []),
  'every "Enforced by" names existing files or names of the code': () => {
    const pages = [...PAGES.filter(isDecision), 'docs/explain/batch.md'];
    assert.deepEqual(pages.flatMap(missingEnforcement), []);
  },
  'docs/explain/design.md names existing files and names of the code': () =>
    assert.deepEqual(missingInDesign(), []),
  'a page that is read from end to end stays short': () => {
    const pages = PAGES.filter((page) => !REFERENCES.includes(page) && !isDecision(page));
    assert.deepEqual(['README.md', ...pages].flatMap(tooLong), []);
  },
  'llms.txt names every document, and no other': documentsOfAgents,
  'the text of each planted fault occurs once in its file, and its test exists': () => {
    const faults: Fault[] = JSON.parse(read('test/mutants/faults.json'));
    const names = faults.filter((fault) => !canBePlanted(fault)).map(({ name }) => name);
    assert.deepEqual(names, []);
  },
};
