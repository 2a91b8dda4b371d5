/** The decorators of request classes. Each combines decorators of class-validator with the messages that callers see. */
import { applyDecorators } from '@nestjs/common';
import {
  Allow,
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsInt,
  IsString,
  isString,
  Max,
  Min,
  ValidateBy,
  type ValidationArguments,
  type ValidationOptions,
} from 'class-validator';
import { ALL_EVENTS, type Facts } from '../../platform/facts.js';
import type { ParamCode } from '../../shared/errors.js';
import { type IdKind, idInWords, isId } from '../../shared/id.js';
import { CURRENCIES, MAX_AMOUNT } from '../../shared/money.js';
import { isVisible } from '../../shared/visible.js';
import { isOrigin } from '../../shared/web-url.js';
import { isWebhookUrl } from '../../shared/webhook-urls.js';
import { type Form, isObject, type Kinds, type RequestClass, resolved, type Said, type Texts } from './constraints.js';
import { isAddrSpec, isCurrency, isInstant, isKeyText, isLocale, isVisibleAscii, isWebUrl } from './formats.js';

export type About = Pick<Form, 'description' | 'default' | 'optional' | 'nullable'>;

export function field(form: Form, ...rules: PropertyDecorator[]): PropertyDecorator {
  return applyDecorators(Allow({ context: form }), ...rules);
}

const says = (code: ParamCode, message: Said['message'], allowed: Texts = []) => ({
  context: { code, message, allowed } satisfies Said,
});

function holds(
  name: string,
  bound: unknown,
  fits: (value: never, facts: Facts) => boolean,
  options: ValidationOptions,
): PropertyDecorator {
  const validate = (value: unknown, given?: ValidationArguments) => fits(value as never, given?.object as Facts);
  return ValidateBy({ name, constraints: [bound], validator: { validate } }, options);
}

/** Code points, as PostgreSQL and JSON Schema count. MaxLength of class-validator skips variation selectors. */
const isWithin = (text: unknown, max: number) => isString(text) && (text.length <= max || [...text].length <= max);

const TOO_LONG = says('too_long', 'must have at most $constraint1 characters');
const TOO_SHORT = says('too_short', 'must have at least $constraint1 characters');
const NO_STRING = says('invalid_type', 'must be a string');

const atMost = (max: number, each = false) =>
  holds('maxLength', max, (text) => isWithin(text, max), { ...TOO_LONG, each });
const atLeast = (min: number) =>
  holds('minLength', min, (text) => isString(text) && !isWithin(text, min - 1), TOO_SHORT);

/** The description knows the rule by the name of the function. */
const isA = (format: (text: string) => boolean, options: ValidationOptions) =>
  holds(format.name, undefined, (text) => isString(text) && format(text), options);

/** An optional text may also be null, because responses show a missing text as null. */
const text = (about: About, ...rules: PropertyDecorator[]) =>
  field({ ...about, nullable: about.optional }, IsString(NO_STRING), ...rules);

export const Integer = ({ min, max, unit = '', ...about }: Form & { min: number; max: number; unit?: string }) =>
  field(
    about,
    IsInt(says('invalid_type', `must be an integer${unit}`)),
    Min(min, says('too_small', 'must be at least $constraint1')),
    Max(max, says('too_large', `must be at most $constraint1${unit}`)),
  );

export const Amount = ({ min = 0, ...about }: About & { min?: number } = {}) =>
  Integer({ min, max: MAX_AMOUNT, unit: ', in the minor unit of the currency: 1299 is 12.99 USD', ...about });

export const Time = (about: About & { max: number }) => Integer({ min: 0, unit: ', in Unix seconds', ...about });

export const Flag = (about: About) => field(about, IsBoolean(says('invalid_type', 'must be true or false')));

const isShown = (text: string) => text === '' || isVisible(text);
const BLANK = says('invalid_format', 'must have a visible character');

export const Text = ({ min = 0, max, ...about }: About & { min?: number; max: number }) =>
  text(about, ...(min > 0 ? [atLeast(min)] : []), atMost(max), isA(isShown, BLANK));

function isOneOf(values: Texts, each = false): PropertyDecorator {
  const said = says('invalid_value', (facts) => `must be one of ${resolved(values, facts).join(', ')}`, values);
  return holds('isIn', values, (text, facts) => resolved(values, facts).includes(text), { ...said, each });
}

export const OneOf = (values: Texts, about: About) => field(about, IsString(NO_STRING), isOneOf(values));

/** An ID of the kind, or of any of those that the modules of the application declare. */
export function Id(kind: IdKind | ((facts: Facts) => readonly IdKind[]), about: About): PropertyDecorator {
  const kinds: Kinds = kind instanceof Function ? kind : [kind];
  const fits = (id: unknown, facts: Facts) => isString(id) && resolved(kinds, facts).some((one) => isId(one, id));
  const said = says('invalid_format', (facts) => `must be ${resolved(kinds, facts).map(idInWords).join(', or ')}`);
  return text(about, holds('isIdOf', kinds, fits, said));
}

const NO_CURRENCY = says('invalid_value', 'must be an ISO 4217 currency code with a minor unit', CURRENCIES);

export const Currency = (about: About) => text(about, isA(isCurrency, NO_CURRENCY));

const formatted = (max: number, format: (text: string) => boolean, message: string) => (about: About) =>
  text(about, atMost(max), isA(format, says('invalid_format', message)));

const WEB_URL = 'must be an absolute https URL without user information, or in test mode http to localhost';
export const WebUrl = formatted(2048, isWebUrl, WEB_URL);

export const WebhookUrl = formatted(
  2048,
  isWebhookUrl,
  'must be an absolute https URL (in test mode also http) without user information, with port 80, 443, or one from 1024 up',
);

/** RFC 5321 section 4.5.3.1: a path is at most 256 octets with its brackets. */
export const Email = formatted(254, isAddrSpec, 'must be one e-mail address');

/** RFC 5646 section 4.4.1 asks for room for 35 characters; tags in use are shorter. */
export const Locale = formatted(35, isLocale, 'must be a BCP 47 language tag or auto');

export const VisibleAscii = formatted(255, isVisibleAscii, 'must be visible ASCII without spaces');
export const KeyText = formatted(255, isKeyText, 'must be visible ASCII, with spaces only inside');

export const Instant = (about: About) =>
  text(about, isA(isInstant, says('invalid_format', 'must be Unix seconds, an RFC 3339 instant or a date')));

/** A nested object. When it is missing, the required fields inside it are reported instead. */
export const Fields = (nested: () => RequestClass, about: About) => field({ ...about, nested });

type List = About & { min?: number; max: number };

function list({ min = 0, max, ...about }: List & Form, ...rules: PropertyDecorator[]): PropertyDecorator {
  return field(
    { ...about, most: max },
    IsArray(says('invalid_type', 'must be an array')),
    ...(min > 0 ? [ArrayMinSize(min, says('too_short', 'must have at least $constraint1 entries'))] : []),
    ArrayMaxSize(max, says('too_long', 'must have at most $constraint1 entries')),
    ...rules,
  );
}

export const ListOf = (nested: () => RequestClass, about: List) => list({ ...about, nested });

const EACH_A_STRING = IsString({ ...NO_STRING, each: true });

export const ListOfUrls = (about: List) =>
  list(about, EACH_A_STRING, atMost(2048, true), isA(isWebUrl, { ...says('invalid_format', WEB_URL), each: true }));

const NO_ORIGIN = says('invalid_format', 'must be an origin like https://shop.example');
export const ListOfOrigins = (about: List) => list(about, EACH_A_STRING, isA(isOrigin, { ...NO_ORIGIN, each: true }));

export const SomeOf = (values: Texts, about: Partial<List>) =>
  list(
    { max: 100, ...about },
    ArrayUnique(says('duplicate', 'must name each value once')),
    EACH_A_STRING,
    isOneOf(values, true),
  );

export const WantedEvents = (about: About) =>
  SomeOf(({ eventTypes }) => [ALL_EVENTS, ...eventTypes], { min: 1, ...about });

const MOST_KEYS = 50;
type Entry = readonly [key: string, value: unknown];
const ofEntries = (name: string, bound: unknown, fits: (entry: Entry) => boolean, said: ValidationOptions) =>
  holds(name, bound, fits, { ...said, each: true });

/** Its rules are for its entries. What is no object must not look like a list of them. */
export const Metadata = (about: About) =>
  field(
    { ...about, most: MOST_KEYS, read: (sent) => (isObject(sent) ? Object.entries(sent) : {}) },
    IsArray(says('invalid_type', 'must be an object')),
    ArrayMaxSize(MOST_KEYS, says('too_long', 'must have at most $constraint1 keys')),
    // Form encodings interpret brackets in a key as a path.
    ofEntries(
      'key.pattern',
      '^[^\\[\\]]*$',
      ([key]) => !/[[\]]/.test(key),
      says('invalid_format', 'needs a key without [ and ]'),
    ),
    ofEntries('key.minLength', 1, ([key]) => key !== '', TOO_SHORT),
    ofEntries('key.maxLength', 40, ([key]) => isWithin(key, 40), TOO_LONG),
    ofEntries('value.type', 'string', ([, value]) => isString(value), NO_STRING),
    ofEntries('value.maxLength', 500, ([, value]) => isWithin(value, 500), TOO_LONG),
  );
