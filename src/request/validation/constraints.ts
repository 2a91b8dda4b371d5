/** What the decorators of request classes say, read from class-validator's metadata. */
import {
  getMetadataStorage,
  isString,
  type ValidationArguments,
  ValidationTypes,
} from 'class-validator';
import type { Facts } from '../../platform/facts.js';
import type { ParamCode, ParamError } from '../../shared/errors.js';

export type RequestClass = new () => object;

/** What a field is besides its rules. IsOptional and ValidateIf of class-validator are not read: `optional` and `nullable` say it. */
export interface Form {
  readonly description?: string;
  readonly default?: unknown;
  readonly optional?: boolean | undefined;
  readonly nullable?: boolean | undefined;
  /** The class of the object, or of each object of the list. */
  readonly nested?: () => RequestClass;
  readonly most?: number;
  /** What the rules are for, made of what was sent. */
  readonly read?: (sent: unknown) => unknown;
}

/** What callers read of a rule that is broken: a message without its subject, and what they may send instead. */
export type Said = Omit<ParamError, 'param'>;

export interface Rule extends Said {
  readonly name: string;
  readonly bound: unknown;
  readonly fits: (value: unknown) => boolean;
}

export interface Field extends Form {
  readonly name: string;
  readonly fields: Fields | undefined;
  readonly rules: readonly Rule[];
  readonly entryRules: readonly Rule[];
}

export type Fields = ReadonlyMap<string, Field>;

const storage = getMetadataStorage();
type Metadata = ReturnType<typeof storage.getTargetValidationMetadatas>[number];

export function fieldsOf(request: RequestClass, facts: Facts): Fields {
  const byName = storage.groupByPropertyName(
    storage.getTargetValidationMetadatas(request, '', false, false),
  );
  return new Map(
    Object.entries(byName).map(([name, metadata]) => [name, fieldOf(name, metadata, facts)]),
  );
}

function fieldOf(name: string, metadata: readonly Metadata[], facts: Facts): Field {
  const form: Form = metadata.find(({ type }) => type === ValidationTypes.WHITELIST)?.context ?? {};
  const declared = metadata.filter(({ type }) => type === ValidationTypes.CUSTOM_VALIDATION);
  return {
    ...form,
    name,
    fields: form.nested && fieldsOf(form.nested(), facts),
    rules: declared.filter(({ each }) => !each).map((one) => ruleOf(one, facts)),
    entryRules: declared.filter(({ each }) => each).map((one) => ruleOf(one, facts)),
  };
}

/** What is said of a broken rule, by its name. A message of its decorator comes before this one; other rules are of formats. */
const SAID: Readonly<Record<string, readonly [code: ParamCode, message?: string]>> = {
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

/** A bound that is a function is what the modules of the application declare. One that is a list of texts is what is allowed. */
function ruleOf(
  { name = '', constraints: [declared] = [], constraintCls, message: own }: Metadata,
  facts: Facts,
): Rule {
  const bound = declared instanceof Function ? declared(facts) : declared;
  const given = { constraints: [bound] } as ValidationArguments;
  const [{ instance: validator } = { instance: undefined }] =
    storage.getTargetValidatorConstraints(constraintCls);
  const [code, usual = `${validator?.defaultMessage?.(given)}`] = SAID[
    name.replace(/^.*\./, '')
  ] ?? ['invalid_format'];
  const message = own instanceof Function ? own(given) : (own ?? usual);
  return {
    ...{ name, bound, code },
    message: message.replace('$property ', '').replace('$constraint1', [bound].flat().join(', ')),
    allowed: Array.isArray(bound) && bound.every(isString) ? bound : [],
    fits: (value) => validator?.validate(value, given) === true,
  };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
