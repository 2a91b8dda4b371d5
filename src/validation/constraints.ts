/** What the decorators of request classes say, read from class-validator's metadata, and the quick check made of it. */
import { getMetadataStorage, type ValidationArguments, ValidationTypes } from 'class-validator';
import type { ParamCode } from '../shared/errors.js';

export type RequestClass = new () => object;

export interface Form {
  readonly description?: string;
  /** The value that the use case assumes when the field is missing. */
  readonly default?: unknown;
  /** The class of the object, or of each object of the list. */
  readonly nested?: () => RequestClass;
  readonly most?: number;
  /** What the rules are for, made of what was sent. */
  readonly read?: (sent: unknown) => unknown;
}

export interface Said {
  readonly code: ParamCode;
  readonly allowed: (() => readonly string[]) | undefined;
}

export interface Field extends Form {
  readonly isOptional: boolean;
  readonly isNullable: boolean;
  readonly rules: readonly Rule[];
}

export type Rule = ReturnType<typeof ruleOf>;

const storage = getMetadataStorage();
const known = new WeakMap<RequestClass, ReadonlyMap<string, Field>>();

export function fieldsOf(request: RequestClass): ReadonlyMap<string, Field> {
  let fields = known.get(request);
  if (!fields) {
    const byName = storage.groupByPropertyName(storage.getTargetValidationMetadatas(request, '', false, false));
    fields = new Map(Object.entries(byName).map(([name, metadata]) => [name, fieldOf(metadata)]));
    known.set(request, fields);
  }
  return fields;
}

type Metadata = ReturnType<typeof storage.getTargetValidationMetadatas>[number];

function fieldOf(metadata: readonly Metadata[]): Field {
  return {
    ...(metadata.find(({ type }) => type === ValidationTypes.WHITELIST)?.context as Form),
    isOptional: metadata.some(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION),
    isNullable: metadata.some(({ name }) => name === 'isOptional'),
    rules: metadata.filter(({ type }) => type === ValidationTypes.CUSTOM_VALIDATION).map(ruleOf),
  };
}

function ruleOf({ name = '', each, constraints = [], constraintCls, context }: Metadata) {
  const [bound] = constraints as unknown[];
  const { code, allowed }: Partial<Said> = context ?? {};
  const [found] = storage.getTargetValidatorConstraints(constraintCls);
  const validator = found?.instance;
  const given = { constraints } as ValidationArguments;
  return {
    ...{ name, each, bound, code: code ?? 'invalid_value' },
    fits: (value: unknown) => validator?.validate(value, given) === true,
    allowed: () => allowed?.() ?? [],
  };
}

/** The quick check. What it refuses may still be valid. */
export function accepts(request: RequestClass, value: unknown): boolean {
  if (!isObject(value)) return false;
  const fields = fieldsOf(request);
  let missing = 0;
  for (const field of fields.values()) if (!field.isOptional) missing += 1;
  for (const name in value) {
    const field = fields.get(name);
    if (field === undefined || !suits(field, value[name])) return false;
    if (!field.isOptional) missing -= 1;
  }
  return missing === 0;
}

function suits({ isOptional, isNullable, nested, most, read, rules }: Field, sent: unknown): boolean {
  if (sent === undefined ? isOptional : sent === null && isNullable) return true;
  const value = read ? read(sent) : sent;
  for (const { each, fits } of rules) if (!(each ? (value as unknown[]).every(fits) : fits(value))) return false;
  if (nested === undefined) return true;
  if (most === undefined) return accepts(nested(), value);
  return (value as unknown[]).every((item) => accepts(nested(), item));
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
