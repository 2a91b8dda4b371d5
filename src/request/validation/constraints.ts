/** What the decorators of request classes say, read from class-validator's metadata. */
import { getMetadataStorage, type ValidationArguments, ValidationTypes } from 'class-validator';
import type { Facts } from '../../platform/facts.js';
import type { ParamCode } from '../../shared/errors.js';
import type { IdKind } from '../../shared/id.js';

/** A value, or what it is in an application, by what the modules of this one declare. */
type OfFacts<Value> = Value | ((facts: Facts) => Value);
export type Texts = OfFacts<readonly string[]>;
export type Kinds = OfFacts<readonly IdKind[]>;

export const resolved = <Value>(value: OfFacts<Value>, facts: Facts): Value =>
  value instanceof Function ? value(facts) : value;

export type RequestClass = new () => object;

/** What a field is besides its rules. IsOptional and ValidateIf of class-validator are not read: `optional` and `nullable` say it. */
export interface Form {
  readonly description?: string;
  readonly default?: unknown;
  /** The field may be missing. */
  readonly optional?: boolean | undefined;
  readonly nullable?: boolean | undefined;
  /** The class of the object, or of each object of the list. */
  readonly nested?: () => RequestClass;
  readonly most?: number;
  /** What the rules are for, made of what was sent. */
  readonly read?: (sent: unknown) => unknown;
}

/** What callers read of a broken rule, and what they may send instead. */
export interface Said {
  readonly code: ParamCode;
  readonly message: OfFacts<string>;
  readonly allowed?: Texts;
}

export interface Field extends Form {
  readonly name: string;
  readonly rules: readonly Rule[];
  /** Rules of each entry of a list or map. */
  readonly entryRules: readonly Rule[];
}

export type Rule = ReturnType<typeof ruleOf>;

const storage = getMetadataStorage();
const known = new WeakMap<RequestClass, ReadonlyMap<string, Field>>();

export function fieldsOf(request: RequestClass): ReadonlyMap<string, Field> {
  let fields = known.get(request);
  if (!fields) {
    const byName = storage.groupByPropertyName(storage.getTargetValidationMetadatas(request, '', false, false));
    fields = new Map(Object.entries(byName).map(([name, metadata]) => [name, fieldOf(name, metadata)]));
    known.set(request, fields);
  }
  return fields;
}

type Metadata = ReturnType<typeof storage.getTargetValidationMetadatas>[number];

function fieldOf(name: string, metadata: readonly Metadata[]): Field {
  const declared = metadata.filter(({ type }) => type === ValidationTypes.CUSTOM_VALIDATION);
  return {
    name,
    ...(metadata.find(({ type }) => type === ValidationTypes.WHITELIST)?.context as Form),
    rules: declared.filter(({ each }) => !each).map(ruleOf),
    entryRules: declared.filter(({ each }) => each).map(ruleOf),
  };
}

/** class-validator tells a validator the validated object; here that is the facts of the application. */
function ruleOf({ name = '', constraints = [], constraintCls, context = {} }: Metadata) {
  const [bound] = constraints as unknown[];
  const { code = 'invalid_value', message, allowed = [] }: Partial<Said> = context;
  const [{ instance: validator } = { instance: undefined }] = storage.getTargetValidatorConstraints(constraintCls);
  // Made once, because a request has many values.
  const given = { constraints } as { object?: object } as ValidationArguments;
  return {
    ...{ name, bound, code },
    fits: (value: unknown, facts: Facts): boolean => {
      given.object = facts;
      return validator?.validate(value, given) === true;
    },
    message: (facts: Facts): string => {
      const said = resolved(message, facts) ?? validator?.defaultMessage?.(given) ?? 'is invalid';
      return said.replace('$property ', '').replace('$constraint1', `${bound}`);
    },
    allowed: (facts: Facts) => resolved(allowed, facts),
  };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
