/** Loads the built adapters and prints every SQL text that they define, as JSON. Run by itself: it changes how modules load. */
import { readdirSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ADAPTERS = /\/dist\/src\/.*(persistence|platform\/database|idempotency|encryption|telemetry)\/.*\.js$/;

const found = {};
globalThis.defined = (file, values) => {
  found[file] = values;
};

/** What a module names at its top level it tells at its end, exported or not. */
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!ADAPTERS.test(url)) return loaded;
    const source = String(loaded.source);
    const names = [...source.matchAll(/^(?:export )?(?:const|function) (\w+)/gm)].map(([, name]) => name);
    return { ...loaded, source: `${source}\nglobalThis.defined(${JSON.stringify(url)}, { ${names.join(', ')} });` };
  },
});

const files = readdirSync('dist/src', { recursive: true, encoding: 'utf8' });
const urls = files.map((file) => pathToFileURL(resolve('dist/src', file)).href);
for (const url of urls.filter((each) => ADAPTERS.test(each))) await import(url);

const texts = new Map();
const statementsIn = (value, file, name) => {
  if (typeof value === 'string') texts.set(`${file} ${name}`, { text: value, isNamed: false });
  if (value?.constructor !== Object) return;
  if (typeof value.name === 'string' && typeof value.text === 'string') {
    texts.set(value.name, { text: value.text, isNamed: true });
  } else for (const [key, inner] of Object.entries(value)) statementsIn(inner, file, `${name}.${key}`);
};
for (const [url, values] of Object.entries(found)) {
  const file = /([\w-]+)\.js$/.exec(url)?.[1];
  for (const [name, value] of Object.entries(values)) statementsIn(value, file, name);
}

/** Statements that are made when they are needed, one for each combination. */
const madeBy = (file, name) => Object.entries(found).find(([url]) => url.endsWith(`/${file}.js`))[1][name];
const subsets = ([first, ...rest]) =>
  first === undefined ? [[]] : subsets(rest).flatMap((set) => [set, [first, ...set]]);
const made = [
  ...subsets(['reference', 'checkout_session_id', 'organization_id']).map(
    madeBy('postgres-ledger-payments', 'listStatement'),
  ),
  ...['asc', 'desc'].flatMap((order) => [
    ...subsets(['organization_id', 'object_id']).map((set) =>
      madeBy('postgres-ledger-events', 'listStatement')(set, order),
    ),
    ...subsets(['object_id']).map((set) => madeBy('postgres-ledger-events', 'listStatement')(set, order, true)),
    ...['all', 'type'].map((filter) => madeBy('postgres-events', 'listStatement')(filter, order)),
    madeBy('postgres-events', 'listOfObject')(order),
  ]),
  ...madeBy('encrypted-columns', 'encryptedColumns')().flatMap(({ look, replace }) => [look, replace]),
];
for (const { name, text } of made) texts.set(name, { text, isNamed: true });

const SQL = /^\s*(?:\/\*.*?\*\/\s*)?(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b/s;
const all = [...texts].filter(([, { text }]) => SQL.test(text));
/** A text within another one is a part of it. */
const isPart = (text) => all.some(([, other]) => other.text !== text && other.text.includes(text));
const statements = all.filter(([, { text, isNamed }]) => isNamed || !isPart(text));
process.stdout.write(JSON.stringify(Object.fromEntries(statements.map(([name, { text }]) => [name, text]))));
