/**
 * A table is named only in the folder of its owner. No import would show that the SQL of a module
 * reads the table of another module.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import ts from 'typescript';

/** Each of these files names the table of payments. */
const STRANGE = {
  'src/modules/payments/adapters/persistence/payment.record.ts': `@Entity('payments') export class PaymentRecord {}`,
  'src/modules/refunds/adapters/persistence/typeorm-refunds.ts': `const SQL = \`SELECT id FROM \${REFUNDS} JOIN payments\`;`,
  'src/persistence/count.ts': `export const TABLE = 'payments';`,
  'src/operator/cli/paths.ts': `export const PATH = '/v1/payments';`,
};

test('a table is named in one folder only', () => {
  expect(TABLES.length).toBeGreaterThan(10);
  expect(sharedIn(sources())).toEqual({});
});

test('a table that another folder names is found', () => {
  expect(sharedIn(STRANGE)).toEqual({
    payments: ['src/modules/payments/', 'src/modules/refunds/', 'src/persistence/'],
  });
});

const TABLES = readdirSync('migrations').flatMap((file) => {
  return [...readFileSync(join('migrations', file), 'utf8').matchAll(/CREATE TABLE (\w+)/g)].map(
    ([, table = '']) => table,
  );
});

/** Returns each table that several folders name, with the folders. */
function sharedIn(files: Readonly<Record<string, string>>): Record<string, string[]> {
  const folders = new Map<string, Set<string>>();
  for (const [file, text] of Object.entries(files)) {
    const [folder = file] = /^src\/(?:modules\/)?[^/]+\//.exec(file) ?? [];
    for (const name of namesIn(file, text)) {
      if (!TABLES.includes(name)) continue;
      folders.set(name, (folders.get(name) ?? new Set()).add(folder));
    }
  }
  return Object.fromEntries(
    [...folders].filter(([, { size }]) => size > 1).map(([name, all]) => [name, [...all]]),
  );
}

const SQL = /\b(SELECT|INSERT|UPDATE|DELETE|FROM|JOIN|USING|TABLE|TRUNCATE|COPY)\b/;

/** Returns the words of every SQL text, and every text of one word. */
function namesIn(file: string, source: string): Set<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    const text = textOf(node);
    if (SQL.test(text) || /^\w+$/.test(text))
      for (const word of text.match(/(?<![.\w])\w+/g) ?? []) names.add(word);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest));
  return names;
}

function textOf(node: ts.Node): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return '';
  return [node.head, ...node.templateSpans.map(({ literal }) => literal)]
    .map(({ text }) => text)
    .join(' ');
}

function sources(): Record<string, string> {
  const all = readdirSync('src', { recursive: true, encoding: 'utf8' });
  // A domain knows no table: `events` is a parameter there.
  const files = all.filter((file) => file.endsWith('.ts') && !file.includes('/domain/'));
  return Object.fromEntries(
    files.map((file) => [join('src', file), readFileSync(join('src', file), 'utf8')]),
  );
}
