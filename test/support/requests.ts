/** Bodies and queries for any request class, right ones and wrong ones, grown from the JSON Schema of its decorators. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc, { type Arbitrary } from 'fast-check';
import type { Facts } from '../../src/platform/facts.js';
import type { Field, RequestClass } from '../../src/request/validation/constraints.js';
import { isVisible } from '../../src/shared/visible.js';
import { objectSchema, shownSchema } from '../../tools/openapi/request-schema.js';

type Schema = Readonly<Record<string, unknown>>;
type Json = Record<string, unknown> | unknown[];

/** Every class that a *.requests.ts file of the source exports. */
export async function requestClasses(): Promise<RequestClass[]> {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.requests.ts'),
  );
  const modules = await Promise.all(files.map((file) => import(join('../../src', file).replace(/\.ts$/, '.js'))));
  const exported = modules.flatMap((module) => Object.values(module as Record<string, unknown>));
  return exported.filter((one) => /^class\b/.test(String(one))) as RequestClass[];
}

const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  isCurrency: ['usd', 'JPY', 'Kwd'],
  isWebhookUrl: ['https://hooks.shop.example/tillgate', 'https://hooks.example:8443/', 'http://localhost:8080/'],
  isWebUrl: ['https://shop.example/thanks?id=1#top', 'http://localhost:8080/', 'https://müller.example/ä'],
  isAddrSpec: ['ada@example.com', 'a.b+c@sub.example.org'],
  isLocale: ['auto', 'en', 'de-CH-1996'],
  isInstant: ['1763700000', '2026-01-31', '2026-01-31T10:00:00Z', '2026-01-31T10:00:00.5+02:00'],
  isVisibleAscii: ['capture-4711', '!~'],
  isOrigin: ['https://shop.example', 'http://localhost:5173'],
  isKeyText: ['return-4711', 'a b'],
};

/** The schema of what is sent, with the name of our own format where there is one. */
export function sentSchema(request: RequestClass, facts: Facts): Schema {
  return objectSchema(request, facts, (field: Field) => {
    const schema = shownSchema(field, (nested) => sentSchema(nested, facts));
    // The limit of a list is text in a query.
    if (field.read && schema.type === 'integer') return { type: 'string', pattern: '^0*[1-9]\\d?$' };
    const format = [...field.rules, ...field.entryRules].find(({ name }) => name in EXAMPLES)?.name;
    if (!format) return schema;
    return schema.items ? { ...schema, items: { type: 'string', format } } : { ...schema, format };
  });
}

/** Values the schema accepts. */
export function acceptable(schema: Schema): Arbitrary<unknown> {
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => acceptable({ ...schema, type })));
  if (schema.type === 'null') return fc.constant(null);
  if (schema.enum) return fc.constantFrom(...(schema.enum as string[]));
  if (schema.format) return fc.constantFrom(...(EXAMPLES[schema.format as string] as readonly string[]));
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern as string));
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: schema.minimum as number, max: schema.maximum as number });
    case 'string':
      return fc
        .string({ unit: 'grapheme', minLength: schema.minLength as number, maxLength: 20 })
        .filter((text) => text === '' || isVisible(text));
    case 'array': {
      const lengths = { minLength: (schema.minItems as number) ?? 0, maxLength: 3 };
      const items = acceptable(schema.items as Schema);
      return schema.uniqueItems ? fc.uniqueArray(items, lengths) : fc.array(items, lengths);
    }
    default:
      return schema.properties
        ? acceptableObject(schema)
        : fc.dictionary(fc.stringMatching(/^[a-z_ ]{1,40}$/), fc.string());
  }
}

function acceptableObject(schema: Schema): Arbitrary<unknown> {
  const fields = Object.entries(schema.properties as Record<string, Schema>);
  const model = Object.fromEntries(fields.map(([name, field]) => [name, acceptable(field)]));
  return fc.record(model, { requiredKeys: schema.required as string[] });
}

/** Mistakes of programs: the edges of every bound, other types, and names that every JavaScript object knows. */
const ODD_VALUES = [
  ...[null, true, false, '', ' ', 'x', 'usd', 'xau', 'USD', '\u{1f600}', '[]'],
  ...[{}, { name: 'x' }, [], [null], [[]], [{}]],
  ...[0, -0, -1, 1, 0.5, 100, 101, 999_999, 1_000_000, 999_999_999_999, 1_000_000_000_000, 2 ** 53, 1e21, 5e-324],
  ...[Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, '0', '00100', '101', '1e2', '+1', '2026-02-30', 'inclusive'],
  ...[40, 41, 255, 256, 500, 501, 1000, 1001, 2048, 2049].flatMap((length) => [
    'a'.repeat(length),
    '😀'.repeat(length),
  ]),
  ...[35, 254, 2048, 2049].map((length) => 'https://a.example/'.padEnd(length, 'a')),
  ...[Array(8).fill('https://a.example'), Array(9).fill('https://a.example'), Array(101).fill({})],
  Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`key${index}`, 'value'])),
  ...[{ 'a[b]': 'c' }, { '': 'c' }, { ['k'.repeat(41)]: 'v' }, { k: 1 }, { k: null }],
  ...[{ constructor: 'a' }, { length: 1 }],
];
const ODD_NAMES = [...'unknown constructor toString hasOwnProperty prototype length then 0 id'.split(' '), ''];

const oddValue = fc.oneof(fc.constantFrom<unknown>(...ODD_VALUES), fc.jsonValue({ maxDepth: 2 }));

/** A change at one place of a value, given by numbers so that a failing example shrinks. */
export const alteration = fc.record({
  place: fc.nat(1000),
  change: fc.constantFrom('replace', 'remove', 'add', 'copy'),
  name: fc.constantFrom(...ODD_NAMES),
  value: oddValue,
});

export type Alteration = typeof alteration extends Arbitrary<infer Value> ? Value : never;

/** The value with one place changed. */
export function altered(original: unknown, { place, change, name, value }: Alteration): unknown {
  const copy = structuredClone(original);
  const places = placesOf(copy);
  const [holder, key] = places[place % Math.max(places.length, 1)] ?? [];
  if (holder === undefined || key === undefined) return copy;
  if (change === 'replace') set(holder, key, value);
  else if (Array.isArray(holder))
    holder.splice(Number(key), change === 'remove' ? 1 : 0, ...(change === 'add' ? [value] : []));
  else if (change === 'remove') delete holder[key];
  else set(holder, name, change === 'add' ? value : holder[key]);
  return copy;
}

function placesOf(value: unknown): [Json, string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [[value as Json, key], ...placesOf(item)]);
}

function set(holder: Json, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true });
}
