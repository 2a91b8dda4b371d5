/** The pages show files as they are, and every line of a field; the compiler names a place that forgot it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { flat, shownIn } from '../support/shown-code.js';

const FIELD = /customer_?email/i;
const LINES = shownIn(readFileSync('docs/guides/adding-a-field.md', 'utf8'));
const SHOWN = [...shownIn(readFileSync('docs/guides/adding-an-endpoint.md', 'utf8')), ...LINES];

const CHECKOUT = 'src/modules/checkout';
const RECORD = `${CHECKOUT}/adapters/persistence/checkout-session.record.ts`;
const ENTITY = `${CHECKOUT}/domain/session-terms.ts`;
const REQUEST = `${CHECKOUT}/adapters/http/checkout-sessions.requests.ts`;
const VIEW = `${CHECKOUT}/adapters/representation/checkout-sessions.views.ts`;
/** It makes sessions of rows. */
const REPOSITORY = `${CHECKOUT}/adapters/persistence/postgres-checkout-sessions.ts`;

test('the page shows files as they are', () => {
  expect(SHOWN.length).toBeGreaterThan(LINES.length);
  for (const { path, code } of SHOWN) expect(flat(readFileSync(path, 'utf8'))).toContain(flat(code));
});

test('the page shows every line of the field', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((file) => join('src', file));
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

test.each([
  ['record', RECORD, [REPOSITORY]],
  ['entity', ENTITY, [REQUEST, REPOSITORY, VIEW]],
  ['request', REQUEST, [REQUEST]],
  ['view', VIEW, [VIEW]],
])('the compiler names the field that the %s has forgotten', (_, path, where) => {
  expect(namedWithoutFieldOf(path).sort()).toEqual(where.sort());
});

const linesOf = (path: string) => readFileSync(path, 'utf8').split('\n');
const isOfField = (line: string) => FIELD.test(line);
const parsed = new Map<string, ts.SourceFile>();

/** The files in which the compiler speaks of the field. It is fast because it reads no packages. */
function namedWithoutFieldOf(forgetful: string): string[] {
  const { compilerOptions } = ts.readConfigFile('tsconfig.json', ts.sys.readFile).config;
  const { options } = ts.convertCompilerOptionsFromJson({ ...compilerOptions, types: [] }, '.');
  const host = ts.createCompilerHost(options);
  host.getSourceFile = (path, target) => {
    const forgets = path === resolve(forgetful);
    const lines = forgets ? linesOf(path).filter((line) => !isOfField(line)) : linesOf(path);
    const file = (forgets ? undefined : parsed.get(path)) ?? ts.createSourceFile(path, lines.join('\n'), target);
    if (!forgets) parsed.set(path, file);
    return file;
  };
  host.resolveModuleNameLiterals = (names, from) =>
    names.map(({ text }) => {
      const resolvedFileName = join(from, '..', text.replace(/\.js$/, '.ts'));
      return { resolvedModule: text.startsWith('.') ? { resolvedFileName, extension: '.ts' } : undefined };
    });
  const checked = [ENTITY, REPOSITORY, REQUEST, VIEW];
  const paths = checked.map((path) => resolve(path));
  const program = ts.createProgram(paths, options, host);
  return checked.filter((_, index) => {
    const found = program.getSemanticDiagnostics(program.getSourceFile(paths[index] as string));
    return found.some(({ messageText }) => isOfField(ts.flattenDiagnosticMessageText(messageText, '\n')));
  });
}
