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
  readonly allowed: ((facts: Facts) => readonly string[]) | undefined;
}

export interface Field extends Form {
  readonly name: string;
  readonly isOptional: boolean;
  readonly isNullable: boolean;
  readonly applies: (object: object, value: unknown) => boolean;
  readonly rules: readonly Rule[];
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
  const conditions = metadata
    .filter(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION)
    .map(({ constraints: [condition] }) => condition as Field['applies']);
  const [condition = () => true] = conditions;
  return {
    name,
    ...(metadata.find(({ type }) => type === ValidationTypes.WHITELIST)?.context as Form),
    isOptional: conditions.length > 0,
    isNullable: metadata.some(({ name }) => name === 'isOptional'),
    applies: conditions.length > 1 ? (...given) => conditions.every((one) => one(...given)) : condition,
    rules: metadata.filter(({ type }) => type === ValidationTypes.CUSTOM_VALIDATION).map(ruleOf),
  };
}

/** class-validator tells a validator and a message the validated object; here that is the facts of the application. */
function ruleOf({ name = '', each, constraints = [], constraintCls, context, message }: Metadata) {
  const [bound] = constraints as unknown[];
  const { code, allowed }: Partial<Said> = context ?? {};
  const [found] = storage.getTargetValidatorConstraints(constraintCls);
  const validator = found?.instance;
  // Made once, because a request has many values.
  const given = { constraints } as { object?: object } as ValidationArguments;
  const inside = (facts: Facts) => Object.assign(given, { object: facts });
  return {
    ...{ name, each, bound, code: code ?? 'invalid_value' },
    fits: (value: unknown, facts: Facts) => {
      given.object = facts;
      return validator?.validate(value, given) === true;
    },
    message: (facts: Facts) => {
      const said = message ?? validator?.defaultMessage?.(inside(facts)) ?? 'is invalid';
      const text = said instanceof Function ? said(inside(facts)) : said;
      return text.replace('$property ', '').replace('$constraint1', `${bound}`);
    },
    allowed: (facts: Facts) => allowed?.(facts) ?? [],
  };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
