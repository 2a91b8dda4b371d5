/** docs/explain/dependencies.md lists every use of a package's undocumented parts, with the version that it was seen in. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

interface Use {
  readonly name: string;
  readonly version: string;
  readonly file: string;
  readonly uses: string;
  /** A file of the package, and a text in it; undefined for Node. */
  readonly path: string | undefined;
  readonly text: string | undefined;
}

const USE = /^- `(.+?)`: `(.+?)`(?: \((.+?): `(.+?)`\))?\. /gm;
const USES: readonly Use[] = readFileSync('docs/explain/dependencies.md', 'utf8')
  .split(/^## /m)
  .slice(1)
  .flatMap((section) => {
    const [name = '', version = ''] = section.split(/\s/, 2);
    return [...section.matchAll(USE)].map(([, file = '', uses = '', path, text]) => ({
      name,
      version,
      file,
      uses,
      path,
      text,
    }));
  });

/** Signs that code uses more than a package's declared interface. */
const SIGNS: readonly RegExp[] = [
  /from '(?!node:)(@[^/']+\/)?[^./#@'][^/']*\/[^']*'/,
  /import\('(?!node:)(@[^/']+\/)?[^./#@'][^/']*\/[^']*'\)/,
  /@ts-(expect-error|ignore)/,
  /\bas unknown as\b/,
  /\.prototype\.\w+\.(call|apply|bind)\b/,
  /\bglobalThis\b/,
  /\._\w|\['_|getOwnPropertySymbols|Symbol\.for\b/,
  /\bReflect\./,
  /\bgetMetadata(Args)?Storage\(/,
  /^\s*\w+\.\w+\.\w+ = \(.*=>/,
  /\bheaders\[.*\] = /,
];

/** Names that a file imports from packages: a type of theirs that is widened has more than they declare. */
function widened(source: string): RegExp {
  const imported = [...source.matchAll(/^import (?:type )?\{([^}]*)\} from '(?!\.|node:)[^']*'/gm)];
  const names = imported.flatMap(([, list = '']) => list.split(',').map((name) => name.trim().replace(/^type /, '')));
  return new RegExp(`\\b(${['Socket', 'Server', 'IncomingMessage', ...names.filter(Boolean)].join('|')}) & \\{`);
}

/** `file: line` of each sign without a listed use on the line or on the next one. */
function unlisted(file: string, source: string): string[] {
  const listed = USES.filter((use) => use.file === file).map(({ uses }) => uses);
  const signs = [...SIGNS, widened(source)];
  const lines = source.split('\n').filter((line) => !/^\s*(\/\*\*|\*|\/\/ (?!@ts-))/.test(line));
  return lines.flatMap((line, index) => {
    const isListed = listed.some(
      (use) => line.includes(use) || (line.includes('@ts-') && lines[index + 1]?.includes(use)),
    );
    return signs.some((sign) => sign.test(line)) && !isListed ? [`${file}: ${line.trim()}`] : [];
  });
}

/** Casts of types of our own. */
const OWN = [
  'src/platform/http/schema.ts: return schema as unknown as Schema<Value>;',
  'src/platform/http/schema.ts: return { id, object, organization, ...rest } as unknown as Of & { readonly organization: Organization };',
];

const FILES = ['src', 'tools']
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, source: readFileSync(file, 'utf8') }));

test('every private use of the source is on the list', () => {
  expect(USES.length).toBeGreaterThan(20);
  expect(FILES.length).toBeGreaterThan(100);
  expect(FILES.flatMap(({ file, source }) => unlisted(file, source))).toEqual(OWN);
});

test.each([
  ["import { Client } from 'pg/lib/client.js';"],
  ["import { iterate } from '@nestjs/core/helpers/iterate.js';"],
  ['// @ts-expect-error'],
  ['const { pool } = source as unknown as { pool: Pool };'],
  ["import type { PoolClient } from 'pg';\nconst client = (await connect()) as PoolClient & { secret: string };"],
  ['const active = client._activeQuery;'],
  ["const handlers = server[Symbol.for('fastify.handlers')];"],
  ['server.log.child = () => server.log;'],
  ["const guards = Reflect.getMetadata('__guards__', handler);"],
])('a private use that is not on the list is found: %s', (source) => {
  expect(unlisted('src/new.ts', source)).toHaveLength(1);
});

test.each(USES)('$file uses $uses', ({ file, uses }) => {
  expect(readFileSync(file, 'utf8')).toContain(uses);
});

test.each(USES.filter(({ path }) => path))('$name has $text in $path', ({ name, path = '', text }) => {
  expect(readFileSync(join('node_modules', name, path), 'utf8')).toContain(text);
});

test.each([...new Map(USES.map((use) => [use.name, use])).values()])('$name is $version', ({ name, version }) => {
  const installed = JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8'));
  expect(version).toBe(installed.version);
});
