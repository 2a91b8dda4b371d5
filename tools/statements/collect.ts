/** Finds every SQL text that the built adapters define. To be run in a process of its own: it changes how modules load. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
type Sql = (...values: string[]) => string;

const BUILT = fileURLToPath(new URL('../../src', import.meta.url));
const ADAPTERS = /\/dist\/src\/.*(persistence|platform\/database|idempotency|encryption|telemetry)\/.*\.js$/;
const SQL = /^\s*(?:\/\*.*?\*\/\s*)?(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b/s;
/** In the source of a function: SQL, or a statement with its name. */
const MADE = /\b(?:SELECT\b[^;]*\bFROM|INSERT INTO|DELETE FROM|UPDATE \S+ SET)\b|\bname\b[:,].*\btext\b/s;

export interface Collected {
  readonly statements: ReadonlyMap<string, string>;
  readonly tables: ReadonlySet<string>;
  /** The functions that have SQL in them and are not known to `makers`. */
  readonly unknown: readonly string[];
}

type Defined = Readonly<Record<string, unknown>>;
export type Maker = (...given: never[]) => unknown;

/** What functions make, by the name of file and function. A function that makes only parts of statements makes none here. */
export type Makers = Readonly<Record<string, (maker: Maker) => readonly unknown[]>>;

export async function collect(makers: Makers): Promise<Collected> {
  const texts = new Map<string, { text: string; isNamed: boolean }>();
  const unknown: string[] = [];
  const add = (value: unknown, place: string): void => {
    if (typeof value === 'string') texts.set(place, { text: value, isNamed: false });
    if (typeof value === 'function' && MADE.test(String(value))) {
      const made = makers[place] ? makers[place](value as Maker) : [withPlaceholders(value as Sql)];
      if (made.includes(undefined)) unknown.push(place);
      for (const each of made) add(each, place);
    }
    if (Array.isArray(value)) for (const each of value) add(each, place);
    if (value?.constructor !== Object) return;
    const { name, text, onCitus } = value as Defined;
    if (typeof onCitus === 'string') texts.set(`${name} on Citus`, { text: onCitus, isNamed: true });
    if (typeof name === 'string' && typeof text === 'string') texts.set(name, { text, isNamed: true });
    // An insert for all rows of a batch selects what the insert for one row selects.
    else for (const [key, inner] of Object.entries(value as Defined)) if (key !== 'all') add(inner, `${place}.${key}`);
  };
  for (const [url, values] of await loaded()) {
    const file = basename(url, '.js');
    for (const [name, value] of Object.entries(values)) add(value, `${file} ${name}`);
  }
  const all = [...texts].filter(([, { text }]) => SQL.test(text));
  const isPart = (text: string) => all.some(([, other]) => other.text !== text && other.text.includes(text));
  const statements = all.filter(([, { text, isNamed }]) => isNamed || !isPart(text));
  return { statements: new Map(statements.map(([name, { text }]) => [name, text])), tables: ownedTables(), unknown };
}

/** What a part's SQL is with placeholders. Undefined for a function that takes something else. */
function withPlaceholders(sql: Sql): string | undefined {
  try {
    const text: unknown = sql(...Array.from({ length: Math.max(sql.length, 8) }, (_, index) => `$${index + 1}`));
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}

/** @public What `load` adds to each adapter imports it. */
export const found = new Map<string, Defined>();

async function loaded(): Promise<ReadonlyMap<string, Defined>> {
  registerHooks({
    load(url, context, next) {
      const module = next(url, context);
      if (!ADAPTERS.test(url)) return module;
      const source = String(module.source);
      const names = [...source.matchAll(/^(?:export )?(?:const|function|class) (\w+)/gm)].map(([, name]) => name);
      const telling = `import { found } from '${import.meta.url}'; found.set('${url}', { ${names.join(', ')} });`;
      return { ...module, source: `${source}\n${telling}` };
    },
  });
  // The build keeps what was made of a source file that is gone.
  const files = readdirSync(BUILT, { recursive: true, encoding: 'utf8' }).filter((file) => {
    return existsSync(`src/${file.replace(/\.js$/, '.ts')}`);
  });
  const urls = files.map((file) => pathToFileURL(`${BUILT}/${file}`).href);
  for (const url of urls.filter((each) => ADAPTERS.test(each))) await import(url);
  return found;
}

/** Those with an organization in each row: a ledger's key has none. */
function ownedTables(): ReadonlySet<string> {
  const migrations = readdirSync('migrations').map((file) => readFileSync(`migrations/${file}`, 'utf8'));
  const owned = migrations.flatMap((text) => [
    ...text.matchAll(/CREATE TABLE (\w+) \(\s+organization_id uuid NOT NULL/g),
  ]);
  return new Set(owned.map(([, table = '']) => table));
}
