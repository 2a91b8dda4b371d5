/**
 * Finds every SQL text that the built adapters define. It must run in a process of its own, because
 * it changes how modules load.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type BatchedWrite, composed } from '../../src/persistence/batched.js';

const BUILT = fileURLToPath(new URL('../../src', import.meta.url));
const ADAPTERS = /\/dist\/src\/(?:modules\/)?([^/]+)\/(?:.*\/)?[^/]*\.js$/;
const WITH_SQL = /\/dist\/src\/.*(persistence|request\/idempotency|telemetry)\/.*\.js$/;
const SQL = /^\s*(?:\/\*.*?\*\/\s*)?(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b/s;

interface Found {
  readonly text: string;
  /** Returns the folder that owns the file: a module, or a folder beside the modules. */
  readonly folder: string;
  readonly isNamed: boolean;
}

export interface Collected {
  readonly statements: ReadonlyMap<string, Found>;
  readonly tables: ReadonlySet<string>;
}

type Defined = Readonly<Record<string, unknown>>;

export async function collect(): Promise<Collected> {
  const texts = new Map<string, Found>();
  const adapters = await loaded();
  const declarations = (await import('../../src/app.module.js')).declarationsOf();
  for (const [url, values] of adapters) {
    const [, folder = ''] = ADAPTERS.exec(url) ?? [];
    const file = basename(url, '.js');
    const put = (place: string, text: string, isNamed: boolean) =>
      texts.set(place, { text, folder, isNamed });
    const add = (value: unknown, place: string): void => {
      if (typeof value === 'string') put(place, value, false);
      if (Array.isArray(value)) for (const each of value) add(each, place);
      if (value?.constructor !== Object) return;
      const { name, text, input, findMany } = value as Defined;
      if (findMany) add((findMany as Defined).statement, place);
      if (typeof name === 'string' && typeof text === 'string') put(name, text, true);
      else if (input)
        for (const each of statementsOf(value as BatchedWrite)) put(each.name, each.text, true);
      else
        for (const [key, inner] of Object.entries(value as Defined)) add(inner, `${place}.${key}`);
    };
    for (const [name, value] of Object.entries(values)) add(value, `${file} ${name}`);
    // The records are known after all of them are loaded.
    if (file === 'encrypted-columns') add((values.encryptedColumns as () => unknown)(), file);
    if (typeof values.ofDeclarations === 'function') add(values.ofDeclarations(declarations), file);
  }
  // A named statement may begin with a query in parentheses. Others are parts of statements then.
  const all = [...texts].filter(([, { text, isNamed }]) =>
    SQL.test(isNamed ? text.replaceAll('(', '') : text),
  );
  const isPart = (text: string) =>
    all.some(([, other]) => other.text !== text && other.text.includes(text));
  const statements = new Map(all.filter(([, { text, isNamed }]) => isNamed || !isPart(text)));
  return { statements, tables: ownedTables() };
}

function statementsOf(write: BatchedWrite) {
  const values = Object.keys(write.input).map(() => null);
  const part = { name: write.name, owner: { queue: 'collect' }, write, values, rows: 1 };
  return [[part], [part, part]].map((parts) => composed(parts)[0]);
}

/** @public The line that `load` adds to each adapter imports this function. */
export const found = new Map<string, Defined>();

async function loaded(): Promise<ReadonlyMap<string, Defined>> {
  registerHooks({
    load(url, context, next) {
      const module = next(url, context);
      if (!WITH_SQL.test(url)) return module;
      const source = String(module.source);
      const names = [...source.matchAll(/^(?:export )?(?:const|function) (\w+)/gm)].map(
        ([, name]) => name,
      );
      const telling = `import { found as __found } from '${import.meta.url}'; __found.set('${url}', { ${names.join(', ')} });`;
      return { ...module, source: `${source}\n${telling}` };
    },
  });
  // The build keeps the output of a source file that was removed.
  const files = readdirSync(BUILT, { recursive: true, encoding: 'utf8' }).filter((file) => {
    return existsSync(`src/${file.replace(/\.js$/, '.ts')}`);
  });
  const urls = files.map((file) => pathToFileURL(`${BUILT}/${file}`).href);
  for (const url of urls.filter((each) => WITH_SQL.test(each))) await import(url);
  return found;
}

/**
 * Returns the tables that have an organization in each row. The table of keys has none for the key
 * of a ledger.
 */
function ownedTables(): ReadonlySet<string> {
  const migrations = readdirSync('migrations').map((file) =>
    readFileSync(`migrations/${file}`, 'utf8'),
  );
  const owned = migrations.flatMap((text) => [
    ...text.matchAll(/CREATE TABLE (\w+) \(\s+organization_id uuid NOT NULL/g),
  ]);
  return new Set(owned.map(([, table = '']) => table));
}
