/** Reads what the decorators of request classes declare from class-validator's metadata. */
import type { ValidationArguments } from 'class-validator';
import { getMetadataStorage, isString, ValidationTypes } from 'class-validator';
import type { Declarations } from '../../platform/module-declaration.js';
import type { ParamCode, ParamError } from '../../shared/errors.js';

export type RequestClass = new () => object;

/**
 * A decorator leaves a field's options under this key in the context of class-validator's metadata.
 */
export const FIELD: unique symbol = Symbol('field');

/** `optional` and `nullable` stand for IsOptional and ValidateIf of class-validator. */
export interface FieldDefinition {
  readonly description?: string;
  readonly default?: unknown;
  readonly optional?: boolean | undefined;
  readonly nullable?: boolean | undefined;
  /** This is the class of the object, or of each object of the list. */
  readonly nested?: () => RequestClass;
  /**
   * The list or map has at most this many entries. A field without it is neither a list nor a map.
   */
  readonly most?: number;
  /** Makes the value that the rules check from the value that was sent. */
  readonly read?: (sent: unknown) => unknown;
}

/** This is a bound that depends on what the modules of the application declare. */
export class DeclaredBound<Bound> {
  constructor(readonly of: (declarations: Declarations) => Bound) {}
}

/**
 * The message of a rule has no subject, and `allowed` lists the values that may be sent instead.
 */
export interface Rule extends Omit<ParamError, 'param'> {
  readonly name: string;
  readonly bound: unknown;
  readonly fits: (value: unknown) => boolean;
}

export interface Field extends FieldDefinition {
  readonly name: string;
  readonly fields: Fields | undefined;
  readonly rules: readonly Rule[];
  readonly entryRules: readonly Rule[];
}

export type Fields = ReadonlyMap<string, Field>;

const storage = getMetadataStorage();
type Metadata = ReturnType<typeof storage.getTargetValidationMetadatas>[number];

/**
 * Returns the fields of a request class in their order, with inherited ones last. Throws if the
 * class has a decorator that validation would ignore.
 */
export function fieldsOf(request: RequestClass, declarations: Declarations): Fields {
  const byName = storage.groupByPropertyName(
    storage.getTargetValidationMetadatas(request, '', false, false),
  );
  return new Map(
    Object.entries(byName).map(([name, metadata]) => {
      const ignored = ignoredOf(metadata);
      if (ignored === undefined) return [name, fieldOf(name, metadata, declarations)];
      throw new Error(`${request.name}.${name} has ${ignored}, which validation would ignore.`);
    }),
  );
}

function fieldOf(name: string, metadata: readonly Metadata[], declarations: Declarations): Field {
  const options = optionsOf(metadata);
  const declared = metadata.filter(({ type }) => type === ValidationTypes.CUSTOM_VALIDATION);
  return {
    ...options,
    name,
    fields: options.nested && fieldsOf(options.nested(), declarations),
    rules: declared.filter(({ each }) => !each).map((one) => ruleOf(one, declarations)),
    entryRules: declared.filter(({ each }) => each).map((one) => ruleOf(one, declarations)),
  };
}

function optionsOf(metadata: readonly Metadata[]): FieldDefinition {
  const own = metadata.find(isField);
  return (own?.context as { [FIELD]: FieldDefinition } | undefined)?.[FIELD] ?? {};
}

const isField = ({ context }: Metadata): boolean =>
  context !== undefined && Object.hasOwn(context as object, FIELD);

/** These decorators have no name of their own in the metadata. */
const UNNAMED: Readonly<Record<string, string>> = {
  [ValidationTypes.CONDITIONAL_VALIDATION]: 'ValidateIf',
  [ValidationTypes.NESTED_VALIDATION]: 'ValidateNested',
  [ValidationTypes.PROMISE_VALIDATION]: 'ValidatePromise',
  [ValidationTypes.WHITELIST]: 'Allow',
};

/** Returns the first decorator, or the first option of one, that would not be obeyed. */
function ignoredOf(metadata: readonly Metadata[]): string | undefined {
  const { most, nested } = optionsOf(metadata);
  const hasEntryRules = most !== undefined && nested === undefined;
  for (const one of metadata) {
    if (isField(one)) continue;
    const decorator = decoratorOf(one);
    if (one.type !== ValidationTypes.CUSTOM_VALIDATION) return decorator;
    const option = ignoredOption(one) ?? (one.each && !hasEntryRules ? 'each' : undefined);
    if (option !== undefined) return `${decorator} with \`${option}\``;
    if (validatorOf(one) === undefined) return `${decorator} without a synchronous validator`;
  }
  return undefined;
}

function ignoredOption({ groups, always, validateIf, context }: Metadata): string | undefined {
  const given = { groups: groups?.length ? groups : undefined, always, validateIf, context };
  return Object.entries(given).find(([, value]) => value !== undefined)?.[0];
}

function decoratorOf({ type, name = '', constraintCls }: Metadata): string {
  const known = name.charAt(0).toUpperCase() + name.slice(1);
  return `@${known || UNNAMED[type] || `Validate(${constraintCls.name})`}`;
}

function validatorOf({ constraintCls }: Metadata) {
  const [constraint] = storage.getTargetValidatorConstraints(constraintCls);
  return constraint?.async ? undefined : constraint?.instance;
}

/**
 * Each broken rule has a code and a message, by its name. A message of its decorator comes first.
 * All other rules are about formats.
 */
const FAULTS: Readonly<Record<string, readonly [code: ParamCode, message?: string]>> = {
  isString: ['invalid_type', 'must be a string'],
  type: ['invalid_type', 'must be a string'],
  isInt: ['invalid_type'],
  isBoolean: ['invalid_type', 'must be true or false'],
  isArray: ['invalid_type', 'must be an array'],
  min: ['too_small', 'must be at least $constraint1'],
  max: ['too_large'],
  minLength: ['too_short', 'must have at least $constraint1 characters'],
  maxLength: ['too_long', 'must have at most $constraint1 characters'],
  arrayMinSize: ['too_short', 'must have at least $constraint1 entries'],
  arrayMaxSize: ['too_long', 'must have at most $constraint1 entries'],
  arrayUnique: ['duplicate', 'must name each value once'],
  isIn: ['invalid_value', 'must be one of $constraint1'],
  isCurrency: ['invalid_value'],
};

function ruleOf(metadata: Metadata, declarations: Declarations): Rule {
  const { name = '', constraints: declared = [], message: own } = metadata;
  const validator = validatorOf(metadata);
  const constraints = declared.map((one) =>
    one instanceof DeclaredBound ? one.of(declarations) : one,
  );
  const [bound] = constraints;
  const given = { constraints } as ValidationArguments;
  const [code, usual] = FAULTS[name.replace(/^.*\./, '')] ?? ['invalid_format'];
  const declaredMessage = own instanceof Function ? own(given) : own;
  const message = declaredMessage ?? usual ?? `${validator?.defaultMessage?.(given)}`;
  return {
    ...{ name, bound, code },
    message: inWords(message, constraints),
    // A bound that is a list of texts is also the list of allowed values.
    allowed: Array.isArray(bound) && bound.every(isString) ? bound : [],
    fits: (value) => validator?.validate(value, given) === true,
  };
}

function inWords(message: string, constraints: readonly unknown[]): string {
  const withoutSubject = message.replace('$property ', '');
  return withoutSubject.replaceAll(/\$constraint(\d)/g, (_, place: string) =>
    [constraints[Number(place) - 1]].flat().join(', '),
  );
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
