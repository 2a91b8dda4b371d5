/** A table is named only in the folder of its owner. No import shows that the SQL of a module reads another module's table. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import ts from 'typescript';

const FIXTURE = 'test/architecture/fixtures/tables-stay-with-their-owner';

test('a table is named only in the folder of its owner', () => {
  expect([...ownersIn('.').keys()].length).toBeGreaterThan(5);
  expect(strangersIn('.')).toEqual([]);
});

test('a table that is named elsewhere is found', () => {
  expect(strangersIn(FIXTURE)).toEqual([
    'src/modules/refunds/adapters/persistence/typeorm-refunds.ts: payments',
    'src/modules/refunds/adapters/persistence/typeorm-refunds.ts: PaymentRecord',
    'src/platform/database/count.ts: payments',
  ]);
});

/** The folder that owns each table: the one with its record. */
function ownersIn(root: string): Map<string, string> {
  const records = sourcesIn(root).filter((file) => file.endsWith('.record.ts'));
  return new Map(
    records.flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8');
      const [, table, record] = /@Entity\('(\w+)'\)[\s\S]*?class (\w+)/.exec(source) ?? [];
      // Two tables with the same columns, whose records a function makes.
      const made = [...source.matchAll(/const (\w+Record) = \w+Record\('(\w+)'/g)].flatMap(([, ...names]) => names);
      const names = [...made, ...(table && record ? [table, record] : [])];
      if (names.length === 0) throw new Error(`${file} maps no table.`);
      const [owner] = /^src\/(?:modules\/)?[^/]+\//.exec(file) ?? [];
      if (owner === undefined) throw new Error(`${file} is in no folder.`);
      return names.map((name) => [name, owner] as const);
    }),
  );
}

/** `file: name` for each table or record that a file outside its owner's folder names. */
function strangersIn(root: string): string[] {
  const owners = [...ownersIn(root)];
  return sourcesIn(root).flatMap((file) => {
    const names = namesIn(file, readFileSync(join(root, file), 'utf8'));
    const strange = owners.filter(([, owner]) => !file.startsWith(owner)).map(([name]) => name);
    return strange.filter((name) => names.has(name)).map((name) => `${file}: ${name}`);
  });
}

const SQL = /\b(SELECT|INSERT|UPDATE|DELETE|FROM|JOIN|USING|TABLE|TRUNCATE|COPY)\b/;

/** Files that may import another owner's record: the composition root, and records with a foreign key. */
const MAY_IMPORT = /^src\/app\.module\.ts$|\.record\.ts$/;

/** The words of every SQL text, every text of one word, and what is imported. */
function namesIn(file: string, source: string): Set<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    const text = textOf(node);
    if (SQL.test(text) || /^\w+$/.test(text)) for (const word of text.match(/\w+/g) ?? []) names.add(word);
    if (ts.isImportSpecifier(node) && !MAY_IMPORT.test(file)) names.add((node.propertyName ?? node.name).text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest));
  return names;
}

function textOf(node: ts.Node): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return '';
  return [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join(' ');
}

function sourcesIn(root: string): string[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join('src', file))
    .sort();
}
