/** The rules of class-validator's decorators: the code of each fault, and the rule again for the quick check. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { arrayUnique, isBoolean, isInt, isString } from 'class-validator';
import type { Facts } from '../platform/facts.js';
import type { ParamCode } from '../shared/errors.js';
import { type IdKind, isId } from '../shared/id.js';
import { CURRENCIES } from '../shared/money.js';
import { FORMATS, type FormatName } from './formats.js';

/** A value, or what it is in an application, by what the modules of this one declare. */
export type OfFacts<Value> = Value | ((facts: Facts) => Value);
export type Texts = OfFacts<readonly string[]>;
export type Kinds = OfFacts<readonly IdKind[]>;

/** The application that a request was sent to. class-validator tells a rule the value and its object only. */
export const application = new AsyncLocalStorage<Facts>();

export function resolved<Value>(value: OfFacts<Value>): Value {
  return value instanceof Function ? value(application.getStore() as Facts) : value;
}

interface Kind {
  readonly code: ParamCode;
  readonly fits: (value: never, bound: never) => boolean;
  readonly allowed?: (bound: never) => readonly string[];
}

type List = readonly unknown[];
type Entry = readonly [key: string, value: unknown];

/** Code points, as PostgreSQL and JSON Schema count. MaxLength of class-validator skips variation selectors. */
const isWithin = (text: unknown, max: number) => isString(text) && (text.length <= max || [...text].length <= max);

export const RULES: Readonly<Record<string, Kind>> = {
  isString: { code: 'invalid_type', fits: isString },
  isInt: { code: 'invalid_type', fits: isInt },
  isBoolean: { code: 'invalid_type', fits: isBoolean },
  isArray: { code: 'invalid_type', fits: Array.isArray },
  min: { code: 'too_small', fits: (value: number, min: number) => value >= min },
  max: { code: 'too_large', fits: (value: number, max: number) => value <= max },
  minLength: { code: 'too_short', fits: (text: unknown, min: number) => isString(text) && !isWithin(text, min - 1) },
  maxLength: { code: 'too_long', fits: isWithin },
  isIn: {
    code: 'invalid_value',
    fits: (text: string, values: Texts) => resolved(values).includes(text),
    allowed: (values: Texts) => resolved(values),
  },
  isIdOf: {
    code: 'invalid_format',
    fits: (id: unknown, kinds: Kinds) => isString(id) && resolved(kinds).some((kind) => isId(kind, id)),
  },
  isCurrency: {
    code: 'invalid_value',
    fits: (text: unknown) => isString(text) && FORMATS.isCurrency(text),
    allowed: () => CURRENCIES,
  },
  isFormat: {
    code: 'invalid_format',
    fits: (text: unknown, name: FormatName) => isString(text) && FORMATS[name](text),
  },
  arrayMinSize: { code: 'too_short', fits: (list: List, min: number) => list.length >= min },
  arrayMaxSize: { code: 'too_long', fits: (list: List, max: number) => list.length <= max },
  arrayUnique: { code: 'duplicate', fits: arrayUnique },
  'key.pattern': { code: 'invalid_format', fits: (entry: Entry) => !/[[\]]/.test(entry[0]) },
  'key.minLength': { code: 'too_short', fits: (entry: Entry) => entry[0] !== '' },
  'key.maxLength': { code: 'too_long', fits: (entry: Entry, max: number) => isWithin(entry[0], max) },
  'value.type': { code: 'invalid_type', fits: (entry: Entry) => isString(entry[1]) },
  'value.maxLength': { code: 'too_long', fits: (entry: Entry, max: number) => isWithin(entry[1], max) },
};

/** A decorator that is not listed is left to class-validator. */
export const OTHERS: Kind = { code: 'invalid_value', fits: () => false };
