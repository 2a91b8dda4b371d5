/** Reads the decorators of request classes from class-validator's metadata, as JSON Schema and as error codes. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import type { Facts } from '../platform/facts.js';
import type { ParamCode } from '../shared/errors.js';

export type RequestClass = new () => object;
export type Keywords = Readonly<Record<string, unknown>>;
type Metadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** A value, or what it is in an application, by what the modules of this one declare. */
export type OfFacts<Value> = Value | ((facts: Facts) => Value);

/** The application that a request was sent to. class-validator tells a rule the value and its object only. */
export const application = new AsyncLocalStorage<Facts>();

export function resolved<Value>(value: OfFacts<Value>): Value {
  return value instanceof Function ? value(application.getStore() as Facts) : value;
}

interface Constraint {
  readonly code: ParamCode;
  readonly schema?: Keywords;
  readonly keyword?: string;
}

const CONSTRAINTS: Readonly<Record<string, Constraint>> = {
  isString: { code: 'invalid_type', schema: { type: 'string' } },
  isInt: { code: 'invalid_type', schema: { type: 'integer' } },
  isBoolean: { code: 'invalid_type', schema: { type: 'boolean' } },
  isArray: { code: 'invalid_type', schema: { type: 'array' } },
  nestedValidation: { code: 'invalid_type' },
  min: { code: 'too_small', keyword: 'minimum' },
  max: { code: 'too_large', keyword: 'maximum' },
  minLength: { code: 'too_short', keyword: 'minLength' },
  maxLength: { code: 'too_long', keyword: 'maxLength' },
  arrayMinSize: { code: 'too_short', keyword: 'minItems' },
  arrayMaxSize: { code: 'too_long', keyword: 'maxItems' },
  arrayUnique: { code: 'duplicate', schema: { uniqueItems: true } },
  isIn: { code: 'invalid_value', keyword: 'enum' },
  matches: { code: 'invalid_format', keyword: 'pattern' },
  isResourceId: { code: 'invalid_format', keyword: 'pattern' },
  isCurrency: { code: 'invalid_value', schema: { format: 'isCurrency' } },
};

export interface FieldContext {
  readonly description?: string;
  /** The value that the use case assumes when the field is missing. */
  readonly default?: unknown;
  readonly allowed?: OfFacts<readonly string[]>;
  /** JSON Schema for the description, which replaces a format that only the compiled check knows. */
  readonly shown?: OfFacts<Keywords>;
  /** JSON Schema of the text in a query string, if class-transformer converts it to another type. */
  readonly sent?: Keywords;
}

/** A field whose parts are validated by a class: an object, a list of objects, or the texts of a list or an object. */
export interface Nested {
  readonly type: () => RequestClass;
  readonly as: 'object' | 'list' | 'items' | 'entries';
}

export interface Field extends FieldContext {
  readonly isOptional: boolean;
  readonly nested: Nested | undefined;
  readonly keywords: Keywords;
}

/** A constraint that the table does not have is a format of `formats.ts`. */
const constraintOf = (name: string): Constraint =>
  CONSTRAINTS[name] ?? { code: 'invalid_format', schema: { format: name } };

export const codeOf = (constraint: string): ParamCode => constraintOf(constraint).code;

const known = new WeakMap<RequestClass, ReadonlyMap<string, Field>>();

export function fieldsOf(request: RequestClass): ReadonlyMap<string, Field> {
  let fields = known.get(request);
  if (!fields) {
    const storage = getMetadataStorage();
    const byName = storage.groupByPropertyName(storage.getTargetValidationMetadatas(request, '', false, false));
    fields = new Map(Object.entries(byName).map(([name, metadata]) => [name, fieldOf(metadata)]));
    known.set(request, fields);
  }
  return fields;
}

function fieldOf(metadata: readonly Metadata[]): Field {
  const conditions = metadata.filter(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION);
  const keywords = Object.assign({}, ...metadata.map(keywordsOf)) as Keywords;
  return {
    ...(metadata.find(({ type }) => type === ValidationTypes.WHITELIST)?.context as FieldContext | undefined),
    isOptional: conditions.length > 0,
    nested: metadata.find(({ type }) => type === ValidationTypes.NESTED_VALIDATION)?.context as Nested | undefined,
    keywords: conditions.some(({ name }) => name === 'isOptional')
      ? { ...keywords, type: [keywords.type, 'null'] }
      : keywords,
  };
}

function keywordsOf({ type, name, constraints }: Metadata): Keywords {
  if (type !== ValidationTypes.CUSTOM_VALIDATION) return {};
  const { schema = {}, keyword } = constraintOf(name as string);
  const [argument] = (constraints ?? []) as unknown[];
  return keyword ? { [keyword]: argument instanceof RegExp ? argument.source : argument } : schema;
}

export function objectSchema(request: RequestClass, fieldSchema: (field: Field) => Keywords): Keywords {
  const fields = [...fieldsOf(request)];
  const required = fields.filter(([, { isOptional }]) => !isOptional).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, fieldSchema(field)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

export function checkedSchema(field: Field): Keywords {
  return field.sent ?? withNested(field, checkedSchema, (type) => objectSchema(type, checkedSchema));
}

/** The schema for the description. `ofClass` returns the schema of a nested class, or a reference to it. */
export function shownSchema(field: Field, ofClass: (type: RequestClass) => Keywords): Keywords {
  const { shown, description, default: fallback } = field;
  const { format, ...keywords } = withNested(field, (part) => shownSchema(part, ofClass), ofClass);
  return {
    ...keywords,
    ...resolved(shown ?? {}),
    ...(description !== undefined && { description }),
    ...(fallback !== undefined && { default: fallback }),
  };
}

function withNested(
  { nested, keywords }: Field,
  schemaOf: (field: Field) => Keywords,
  ofClass: (type: RequestClass) => Keywords,
): Keywords {
  if (!nested) return Object.fromEntries(Object.entries(keywords).map(([name, value]) => [name, resolved(value)]));
  const type = nested.type();
  if (nested.as === 'object') return ofClass(type);
  if (nested.as === 'list') return { ...keywords, items: ofClass(type) };
  const parts = fieldsOf(type);
  const value = schemaOf(parts.get('value') as Field);
  if (nested.as === 'items') return { ...keywords, items: value };
  const propertyNames = schemaOf(parts.get('key') as Field);
  return { type: 'object', maxProperties: keywords.maxItems, propertyNames, additionalProperties: value };
}
