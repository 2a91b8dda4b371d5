/**
 * Builds the JSON Schema of a response, from which TypeScript also infers its type. Nothing here
 * runs for a request.
 */

import type { Declarations } from '../platform/module-declaration.js';
import { MODES } from '../shared/caller.js';
import { type IdKind, ORGANIZATION_ID } from '../shared/id.js';
import { CURRENCIES, MAX_AMOUNT } from '../shared/money.js';

declare const VALUE: unique symbol;
export const NAME: unique symbol = Symbol('name');

export interface Schema<Value = unknown> {
  readonly [keyword: string]: unknown;
  readonly [NAME]?: string;
  readonly [VALUE]?: Value;
}

export type ValueOf<Declared> = Declared extends Schema<infer Value> ? Value : never;

type Fields = Readonly<Record<string, Schema>>;

/**
 * Makes the schema of an object with all of its fields required. An object with a name becomes a
 * component of the document.
 */
export function object<Of extends Fields>(
  properties: Of,
  about: { name?: string; description?: string } = {},
) {
  const { name, description } = about;
  const schema = {
    type: 'object',
    ...(description && { description }),
    properties,
    required: Object.keys(properties),
  };
  return { ...schema, ...(name && { [NAME]: name }) } as Schema<{
    readonly [Name in keyof Of]: ValueOf<Of[Name]>;
  }>;
}

export function list<Item>(items: Schema<Item>, description?: string): Schema<readonly Item[]> {
  return { type: 'array', ...(description && { description }), items };
}

type Keywords = Readonly<Record<string, unknown>>;
const scalar =
  <Value>(type: string) =>
  (description: string, keywords: Keywords = {}): Schema<Value> => ({
    type,
    description,
    ...keywords,
  });

export const text = scalar<string>('string');
export const flag = scalar<boolean>('boolean');

export function integer(description: string, keywords: Keywords = {}): Schema<number> {
  return scalar<number>('integer')(description, { ...keywords, ...widthOf(keywords) });
}

export const MAX_INT32 = 2 ** 31 - 1;

/**
 * Adds the width of an integer. Code that is made from a description takes 32 bits, unless the
 * format says that it needs 64 (OpenAPI 3.1 section 4.4).
 */
export function widthOf({ maximum }: Keywords): Keywords {
  const isNarrow = typeof maximum === 'number' && maximum <= MAX_INT32;
  return isNarrow ? {} : { format: 'int64' };
}

export function constant<const Text extends string>(
  value: Text,
  description: string,
): Schema<Text> {
  return { type: 'string', const: value, description };
}

export function oneOf<const Text extends string>(
  values: readonly Text[],
  description: string,
): Schema<Text> {
  return { type: 'string', enum: values, description };
}

export function describedEnum<Text extends string>(
  meanings: Readonly<Record<Text, string>>,
  about: string,
): Schema<Text> {
  const values = Object.keys(meanings) as Text[];
  const lines = values.map((value) => `- \`${value}\`: ${meanings[value]}`);
  return oneOf(values, [about, '', ...lines].join('\n'));
}

/**
 * Makes a schema that depends on what the modules of the application declare. The maker of the
 * document calls it.
 */
export function ofDeclarations<Value>(
  schema: (declarations: Declarations) => Schema<Value>,
): Schema<Value> {
  return schema as unknown as Schema<Value>;
}

/**
 * Makes a schema that also allows null. An enum stands beside null instead of containing it,
 * because some generators make code that does not compile of a null among its values.
 */
export function nullable<Value>(schema: Schema<Value>): Schema<Value | null> {
  if (!('enum' in schema)) return { ...schema, type: [schema.type, 'null'] };
  const { description, ...values } = schema;
  return { description, anyOf: [values, { type: 'null' }] };
}

export function map(description: string): Schema<Readonly<Record<string, string>>> {
  return { type: 'object', description, additionalProperties: { type: 'string' } };
}

export function components(...names: readonly string[]): Schema<unknown> {
  const references = names.map((name) => ({ $ref: referenceTo(name) }));
  return references.length === 1 ? (references[0] as Schema) : { oneOf: references };
}

export const referenceTo = (name: string): string => `#/components/schemas/${name}`;

const EXAMPLE_SUFFIX = '01kaf3v7q4e8yt5w6z9x2c1b0n';

export function exampleId({ prefix, hasMode }: IdKind): string {
  return `${prefix}_${hasMode ? 'test_' : ''}${EXAMPLE_SUFFIX}`;
}

export function id(kind: IdKind, description: string): Schema<string> {
  return text(description, { pattern: kind.pattern.source, examples: [exampleId(kind)] });
}

/** The examples are chosen so that the amounts of a resource add up. */
export function amount(description: string, example = 5000): Schema<number> {
  return integer(description, { minimum: 0, maximum: MAX_AMOUNT, examples: [example] });
}

export function timestamp(description: string, example = 1_763_700_000): Schema<number> {
  return integer(description, { minimum: 0, examples: [example] });
}

export const CURRENCY: Schema<string> = {
  [NAME]: 'Currency',
  ...text('ISO 4217 code in lower case. Amounts are in its minor unit.', {
    enum: CURRENCIES,
    examples: ['usd'],
  }),
};

export const MODE = oneOf(MODES, 'Mode of the key that created it. In `test` mode no money moves.');

export const ORGANIZATION = id(ORGANIZATION_ID, 'Owning organization.');

/**
 * Makes the schema of a resource in the ledger's API, or its fields: it has `organization` after
 * `object`.
 */
export function withOrganization<
  Organization,
  Of extends { readonly id: unknown; readonly object: unknown },
>(
  organization: Organization,
  { id, object, ...rest }: Of,
): Of & { readonly organization: Organization } {
  return { id, object, organization, ...rest } as unknown as Of & {
    readonly organization: Organization;
  };
}

type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/**
 * An entity's schema has at least these fields: one for each property of its state that is not
 * hidden.
 */
export type FieldsOf<State, Hidden extends keyof State = never> = Fields & {
  readonly [Property in Exclude<keyof State, Hidden> as SnakeCase<Property>]: Schema;
};
