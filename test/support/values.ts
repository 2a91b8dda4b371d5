/**
 * Makes right values for the places that a JSON Schema describes, and changes that make wrong
 * values of them.
 */
import fc, { type Arbitrary } from 'fast-check';
import { isVisible } from '../../src/shared/visible.js';

// biome-ignore lint/suspicious/noExplicitAny: a document is walked by name, and a missing member is undefined.
export type Node = any;
type Json = Record<string, unknown> | unknown[];

/**
 * Identifiers of existing resources are kept by their prefix, both the caller's own and foreign
 * ones.
 */
export type Ids = Readonly<Record<string, readonly string[]>>;

/** Only tests that need longer values make them. */
const LONG = 20;
const FEW = 3;

export class Values {
  constructor(
    private readonly document: Node = {},
    private readonly ids: Ids = {},
  ) {}

  /** Returns values that the schema accepts, with identifiers of existing resources. */
  of(described: Node): Arbitrary<unknown> {
    const schema = this.follow(described);
    if (Array.isArray(schema.type))
      return fc.oneof(...schema.type.map((type: string) => this.of({ ...schema, type })));
    if (schema.type === 'null') return fc.constant(null);
    if (schema.type === 'boolean') return fc.boolean();
    if (schema.enum) return fc.constantFrom(...schema.enum);
    if (schema.examples)
      return fc.constantFrom(...(this.ids[prefixOf(schema.examples[0])] ?? schema.examples));
    if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern));
    if (schema.type === 'integer') return fc.integer({ min: schema.minimum, max: schema.maximum });
    if (schema.type === 'array') return this.array(schema);
    if (schema.properties) return this.object(schema);
    if (schema.type === 'object')
      return fc.dictionary(fc.stringMatching(/^[a-z_ ]{1,40}$/), fc.string());
    const { minLength = 0, maxLength = LONG } = schema;
    const texts = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, LONG) });
    return texts.filter((text) => text === '' || isVisible(text));
  }

  follow(node: Node): Node {
    if (typeof node?.$ref !== 'string') return node;
    const steps: string[] = node.$ref.slice(2).split('/');
    return this.follow(steps.reduce((inside, step) => inside[step], this.document));
  }

  private array({ items, minItems = 0, maxItems = FEW, uniqueItems }: Node): Arbitrary<unknown> {
    const lengths = { minLength: minItems, maxLength: Math.min(maxItems, FEW) };
    if (uniqueItems) return fc.uniqueArray(this.of(items), lengths);
    const all = fc.array(this.of(items), { minLength: maxItems, maxLength: maxItems });
    return fc.oneof(
      { weight: 20, arbitrary: fc.array(this.of(items), lengths) },
      { weight: 1, arbitrary: all },
    );
  }

  /**
   * Makes mostly objects with required fields only, because optional amounts that contradict each
   * other are refused before anything else.
   */
  private object({ properties, required = [] }: Node): Arbitrary<unknown> {
    const model = Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, this.of(field)]),
    );
    const least = Object.fromEntries(
      Object.entries(model).filter(([name]) => required.includes(name)),
    );
    const full = fc.record(model, { requiredKeys: required });
    return fc.oneof({ weight: 2, arbitrary: fc.record(least) }, { weight: 1, arbitrary: full });
  }
}

function prefixOf(example: unknown): string {
  return /^[a-z]+(?=_)/.exec(String(example))?.[0] ?? '';
}

/**
 * Programs make such mistakes. They send the edges of every bound, other types, and names that
 * every JavaScript object knows.
 */
const ODD_VALUES = [
  ...[null, true, false, '', ' ', 'x', 'usd', 'xau', 'USD', '\u{1f600}', '[]'],
  ...[{}, { name: 'x' }, [], [null], [[]], [{}]],
  ...[
    0,
    -0,
    -1,
    1,
    0.5,
    100,
    101,
    999_999,
    1_000_000,
    999_999_999_999,
    1_000_000_000_000,
    2 ** 53,
    1e21,
    5e-324,
  ],
  ...[
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    '0',
    '00100',
    '101',
    '1e2',
    '+1',
    '2026-02-30',
    'inclusive',
  ],
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
const ODD_NAMES = [
  ...'unknown constructor toString hasOwnProperty prototype length then 0 id'.split(' '),
  '',
];

const oddValue = fc.oneof(
  fc.constantFrom<unknown>(...ODD_VALUES),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.jsonValue({ maxDepth: 2 }),
);

/**
 * An alteration changes one place of a value. It consists of numbers, so that a failing example
 * shrinks.
 */
export const alteration = fc.record({
  place: fc.nat(1000),
  change: fc.constantFrom('replace', 'remove', 'add', 'copy'),
  name: fc.constantFrom(...ODD_NAMES),
  value: oddValue,
});

export type Alteration = typeof alteration extends Arbitrary<infer Value> ? Value : never;

/** Returns the value with one place changed. */
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
  Object.defineProperty(holder, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}
