/**
 * One decorator a field says everything about it: type, bounds, whether it may be left out. Each is a class-validator
 * constraint that also carries its JSON Schema, from which the fast accepting check is compiled (validation.ts).
 */
import 'reflect-metadata';
import { Type } from 'class-transformer';
import { ValidateBy, ValidateNested } from 'class-validator';
import type { ParamCode } from '../../shared/errors.js';
import { MAX_AMOUNT } from '../../shared/money.js';
import { FORMATS, type Format, type FormatName } from './formats.js';

export type RequestClass = new () => object;

export interface Fault {
  readonly code: ParamCode;
  /** Completes a sentence that begins with the parameter's name. */
  readonly message: string;
  readonly allowed?: readonly string[];
  /** Path below the field: `[3]`, `.order_id`. */
  readonly at?: string;
}

type JsonSchema = Readonly<Record<string, unknown>>;

export interface Rule {
  /** What is compiled into the check. */
  readonly schema: JsonSchema;
  /** What a reader is shown: the same, unless the check knows formats that are our own. */
  readonly described: JsonSchema;
  readonly optional: boolean;
  /** The class of the nested objects, if any. */
  readonly nested: (() => RequestClass) | undefined;
  readonly faults: (value: unknown) => readonly Fault[];
}

/** What can be said of any field. */
export interface About {
  readonly optional?: boolean | undefined;
  readonly description?: string | undefined;
  /** What leaving the field out means; the use case is what applies it. */
  readonly defaultsTo?: unknown;
}

interface RuleParts extends About {
  readonly schema: JsonSchema;
  readonly described?: JsonSchema;
  readonly faults: (value: unknown) => readonly Fault[];
  /** Null means no value: an optional string is null in answers, so it may come back as null. */
  readonly nullable?: boolean | undefined;
  readonly allowed?: readonly string[] | undefined;
  readonly nested?: () => RequestClass;
}

export const OK: readonly Fault[] = [];

export function fault(code: ParamCode, message: string, allowed: readonly string[] = []): readonly Fault[] {
  return [{ code, message, allowed }];
}

export const wrongType = (type: string) => fault('invalid_type', `must be ${type}`);

/** Characters as JSON Schema and people count them: code points. */
export const lengthOf = (text: string): number => [...text].length;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const objectFaults = (value: unknown) => (isObject(value) ? OK : wrongType('an object'));

/** A rule as a decorator: what each of the ones below is made of. */
export function rule(parts: RuleParts): PropertyDecorator {
  const { schema, described = schema, faults, optional = false, nullable = false, allowed, nested } = parts;
  const orNull = (one: JsonSchema) => (nullable ? { ...one, type: [one.type, 'null'] } : one);
  const complete: Rule = {
    schema: orNull(schema),
    described: annotated(orNull(described), parts),
    optional,
    nested,
    faults: (value) => {
      if (value === undefined) return optional ? OK : fault('required', 'is required', allowed);
      return value === null && nullable ? OK : faults(value);
    },
  };
  const validate = (value: unknown) => complete.faults(value).length === 0;
  return ValidateBy(
    { name: 'rule', validator: { validate } },
    { message: '$property is refused', context: { rule: complete } },
  );
}

function annotated(schema: JsonSchema, { description, defaultsTo }: About): JsonSchema {
  return {
    ...schema,
    ...(description !== undefined && { description }),
    ...(defaultsTo !== undefined && { default: defaultsTo }),
  };
}

export function Integer({ min, max, ...about }: About & { min: number; max: number }): PropertyDecorator {
  return rule({
    ...about,
    schema: { type: 'integer', minimum: min, maximum: max },
    faults: (value) => {
      // 1e400 is read as Infinity: too large, not a fraction.
      if (typeof value !== 'number' || (Number.isFinite(value) && !Number.isInteger(value))) {
        return wrongType('an integer');
      }
      if (value < min) return fault('too_small', `must be at least ${min}`);
      return value > max ? fault('too_large', `must be at most ${max}`) : OK;
    },
  });
}

/** An amount in the currency's minor unit. */
export function Amount({ min = 0, ...about }: About & { min?: number } = {}): PropertyDecorator {
  return Integer({ min, max: MAX_AMOUNT, ...about });
}

export function Text({ min = 0, max, ...about }: About & { min?: number; max: number }): PropertyDecorator {
  return rule({
    ...about,
    nullable: about.optional,
    schema: { type: 'string', minLength: min, maxLength: max },
    faults: (value) => (typeof value === 'string' ? lengthFaults(value, min, max) : wrongType('a string')),
  });
}

export function lengthFaults(text: string, min: number, max: number): readonly Fault[] {
  const length = lengthOf(text);
  if (length < min) return fault('too_short', `must have at least ${min} characters`);
  return length > max ? fault('too_long', `must have at most ${max} characters`) : OK;
}

export function OneOf(values: readonly string[], about: About = {}): PropertyDecorator {
  return rule({
    ...about,
    allowed: values,
    schema: { type: 'string', enum: [...values] },
    faults: (value) => {
      if (typeof value !== 'string') return wrongType('a string');
      return values.includes(value) ? OK : fault('invalid_value', `must be one of ${values.join(', ')}`, values);
    },
  });
}

/** A string of one of the formats in formats.ts. */
export function Formatted(name: FormatName, about: About = {}): PropertyDecorator {
  const format = FORMATS[name];
  return rule({
    ...about,
    nullable: about.optional,
    allowed: format.allowed,
    schema: formatSchema(name, format),
    described: describedFormat(format),
    faults: (value) => formatFaults(format, value),
  });
}

function formatSchema(name: FormatName, { maxLength }: Format): Record<string, unknown> {
  return { type: 'string', format: name, ...(maxLength && { maxLength }) };
}

function describedFormat({ maxLength, described }: Format): Record<string, unknown> {
  return { type: 'string', ...described, ...(maxLength && { maxLength }) };
}

function formatFaults({ check, code, message, allowed, maxLength }: Format, value: unknown): readonly Fault[] {
  if (typeof value !== 'string') return wrongType('a string');
  if (maxLength && lengthOf(value) > maxLength) return fault('too_long', `must have at most ${maxLength} characters`);
  return check(value) ? OK : fault(code, message, allowed);
}

export function ListOfUrls({ max, ...about }: About & { max: number }): PropertyDecorator {
  return rule({
    ...about,
    optional: true,
    schema: { type: 'array', maxItems: max, items: formatSchema('web-url', FORMATS['web-url']) },
    described: { type: 'array', maxItems: max, items: describedFormat(FORMATS['web-url']) },
    faults: (value) => {
      if (!Array.isArray(value)) return wrongType('an array');
      if (value.length > max) return fault('too_long', `must have at most ${max} entries`);
      return value.flatMap((item, index) => below(`[${index}]`, formatFaults(FORMATS['web-url'], item)));
    },
  });
}

/** A nested object. When it is missing, the required fields inside it are reported instead. */
export function Fields(nested: () => RequestClass, about: About = {}): PropertyDecorator {
  return withNested(nested, rule({ ...about, nested, schema: { type: 'object' }, faults: objectFaults }));
}

export function ListOf(
  nested: () => RequestClass,
  { min, max, ...about }: About & { min: number; max: number },
): PropertyDecorator {
  const faults = (value: unknown) => {
    if (!Array.isArray(value)) return wrongType('an array');
    if (value.length < min) return fault('too_short', `must have at least ${min} entries`);
    if (value.length > max) return fault('too_long', `must have at most ${max} entries`);
    return value.flatMap((item, index) => below(`[${index}]`, objectFaults(item)));
  };
  return withNested(
    nested,
    rule({ ...about, nested, schema: { type: 'array', minItems: min, maxItems: max }, faults }),
  );
}

function withNested(nested: () => RequestClass, own: PropertyDecorator): PropertyDecorator {
  return (target, property) => {
    for (const decorate of [own, ValidateNested(), Type(nested)]) decorate(target, property as string);
  };
}

export function below(at: string, faults: readonly Fault[]): readonly Fault[] {
  return faults.map((one) => ({ ...one, at }));
}
