/**
 * These are the decorators of request classes. Each combines decorators of class-validator with the
 * messages that callers see.
 */
import { applyDecorators } from '@nestjs/common';
import type { ValidationArguments, ValidationOptions } from 'class-validator';
import {
  Allow,
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsString,
  isString,
  Max,
  Min,
  ValidateBy,
} from 'class-validator';
import { ALL_EVENTS, type Declarations } from '../../platform/module-declaration.js';
import { isCallbackUrl } from '../../shared/callback-urls.js';
import { type IdKind, idInWords, isId } from '../../shared/id.js';
import { CURRENCIES, MAX_AMOUNT } from '../../shared/money.js';
import { isVisible } from '../../shared/visible.js';
import { isOrigin } from '../../shared/web-url.js';
import {
  DeclaredBound,
  FIELD,
  type FieldDefinition,
  isObject,
  type RequestClass,
} from './constraints.js';
import {
  isAddrSpec,
  isContact,
  isCurrency,
  isInstant,
  isKeyText,
  isLocale,
  isVisibleAscii,
  isWebUrl,
  MAX_EMAIL,
} from './formats.js';

export type FieldOptions = Pick<
  FieldDefinition,
  'description' | 'default' | 'optional' | 'nullable'
>;

export function field(options: FieldDefinition, ...rules: PropertyDecorator[]): PropertyDecorator {
  return applyDecorators(Allow({ context: { [FIELD]: options } }), ...rules);
}

/** Makes a rule. The description and the messages know it by its name. */
function holds<Bound>(
  name: string,
  bound: Bound | DeclaredBound<Bound>,
  fits: (value: never, bound: Bound) => boolean,
  options?: ValidationOptions,
): PropertyDecorator {
  const validate = (value: unknown, given?: ValidationArguments) =>
    fits(value as never, given?.constraints[0]);
  return ValidateBy({ name, constraints: [bound], validator: { validate } }, options);
}

/**
 * The length is counted in code points, as PostgreSQL and JSON Schema count it. MaxLength of
 * class-validator skips variation selectors.
 */
const isWithin = (text: unknown, max: number) =>
  isString(text) && (text.length <= max || [...text].length <= max);
const atMost = (max: number, options?: ValidationOptions) =>
  holds('maxLength', max, isWithin, options);
const atLeast = (min: number) =>
  holds('minLength', min, (text: unknown) => isString(text) && !isWithin(text, min - 1));

type Format = readonly [name: string, isOf: (text: string) => boolean];

const isA = ([name, isOf]: Format, message: string, each = false) =>
  holds(name, undefined, (text) => isString(text) && isOf(text), { message, each });

/** An optional text may also be null, because responses show a missing text as null. */
const text = (about: FieldOptions, ...rules: PropertyDecorator[]) =>
  field({ nullable: about.optional, ...about }, IsString(), ...rules);

export const Integer = ({
  min,
  max,
  unit = '',
  ...about
}: FieldDefinition & { min: number; max: number; unit?: string }) =>
  field(
    about,
    IsInt({ message: `must be an integer${unit}` }),
    Min(min),
    Max(max, { message: `must be at most $constraint1${unit}` }),
  );

export const Amount = ({ min = 0, ...about }: FieldOptions & { min?: number } = {}) =>
  Integer({
    min,
    max: MAX_AMOUNT,
    unit: ', in the minor unit of the currency: 1299 is 12.99 USD',
    ...about,
  });

export const Time = (about: FieldOptions & { max: number }) =>
  Integer({ min: 0, unit: ', in Unix seconds', ...about });

export const Flag = (about: FieldOptions) => field(about, IsBoolean());

const isShown = (text: string) => text === '' || isVisible(text);

export const Text = ({ min = 0, max, ...about }: FieldOptions & { min?: number; max: number }) =>
  text(
    about,
    ...(min > 0 ? [atLeast(min)] : []),
    atMost(max),
    isA(['isShown', isShown], 'must have a visible character'),
  );

type Texts = readonly string[] | ((declarations: Declarations) => readonly string[]);
const isOneOf = (values: Texts, options?: ValidationOptions) =>
  IsIn((values instanceof Function ? new DeclaredBound(values) : values) as string[], options);

export const OneOf = (values: Texts, about: FieldOptions) =>
  field(about, IsString(), isOneOf(values));

type Kinds = readonly IdKind[];
const isIdOf = (id: unknown, kinds: Kinds) => isString(id) && kinds.some((kind) => isId(kind, id));
const asIds = ({ constraints: [kinds] }: ValidationArguments) =>
  `must be ${(kinds as Kinds).map(idInWords).join(', or ')}`;

export const Id = (kind: IdKind | ((declarations: Declarations) => Kinds), about: FieldOptions) =>
  text(
    about,
    holds('isIdOf', kind instanceof Function ? new DeclaredBound(kind) : [kind], isIdOf, {
      message: asIds,
    }),
  );

export const Currency = (about: FieldOptions) =>
  text(
    about,
    holds('isCurrency', CURRENCIES, (text) => isString(text) && isCurrency(text), {
      message: 'must be an ISO 4217 currency code with a minor unit',
    }),
  );

const formatted = (max: number, format: Format, message: string) => (about: FieldOptions) =>
  text(about, atMost(max), isA(format, message));

const WEB_URL =
  'must be an absolute https URL without user information, or in test mode http to localhost';
export const WebUrl = formatted(2048, ['isWebUrl', isWebUrl], WEB_URL);

export const WebhookUrl = formatted(
  2048,
  ['isCallbackUrl', isCallbackUrl],
  'must be an absolute https URL (in test mode also http) without user information, with port ' +
    '80, 443, or one from 1024 up',
);

/** RFC 5321 section 4.5.3.1: a path is at most 256 octets with its brackets. */
export const Email = formatted(MAX_EMAIL, ['isAddrSpec', isAddrSpec], 'must be one e-mail address');

export const Contact = formatted(
  500,
  ['isContact', isContact],
  'must be an e-mail address or an https URL',
);

/** RFC 5646 section 4.4.1 asks for room for 35 characters; tags in use are shorter. */
export const Locale = formatted(
  35,
  ['isLocale', isLocale],
  'must be a BCP 47 language tag or auto',
);

export const VisibleAscii = formatted(
  255,
  ['isVisibleAscii', isVisibleAscii],
  'must be visible ASCII without spaces',
);
export const KeyText = formatted(
  255,
  ['isKeyText', isKeyText],
  'must be visible ASCII, with spaces only inside',
);

export const Instant = (about: FieldOptions) =>
  text(about, isA(['isInstant', isInstant], 'must be Unix seconds, an RFC 3339 instant or a date'));

/**
 * Declares a nested object. If it is missing, the required fields inside it are reported instead.
 */
export const Fields = (nested: () => RequestClass, about: FieldOptions) =>
  field({ ...about, nested });

type List = FieldOptions & { min?: number; max: number };

function list(
  { min = 0, max, ...about }: List & FieldDefinition,
  ...rules: PropertyDecorator[]
): PropertyDecorator {
  const bounds = [...(min > 0 ? [ArrayMinSize(min)] : []), ArrayMaxSize(max)];
  return field({ ...about, most: max }, IsArray(), ...bounds, ...rules);
}

export const ListOf = (nested: () => RequestClass, about: List) => list({ ...about, nested });

const EACH = { each: true };

export const ListOfUrls = (about: List) =>
  list(about, IsString(EACH), atMost(2048, EACH), isA(['isWebUrl', isWebUrl], WEB_URL, true));

export const ListOfOrigins = (about: List) =>
  list(
    about,
    IsString(EACH),
    isA(['isOrigin', isOrigin], 'must be an origin like https://shop.example', true),
  );

export const SomeOf = (values: Texts, about: Partial<List>) =>
  list({ max: 100, ...about }, ArrayUnique(), IsString(EACH), isOneOf(values, EACH));

export const WantedEvents = (about: FieldOptions) =>
  SomeOf(({ eventTypes }) => [ALL_EVENTS, ...eventTypes], { min: 1, ...about });

const MOST_KEYS = 50;
type Entry = readonly [key: string, value: unknown];
const NO_KEY = { message: 'needs a key without [ and ]', each: true };

/**
 * The rules apply to the entries. A value that is no object must not look like a list of entries.
 */
export const Metadata = (about: FieldOptions) =>
  field(
    { ...about, most: MOST_KEYS, read: (sent) => (isObject(sent) ? Object.entries(sent) : {}) },
    IsArray({ message: 'must be an object' }),
    ArrayMaxSize(MOST_KEYS, { message: 'must have at most $constraint1 keys' }),
    // Form encodings interpret brackets in a key as a path.
    holds('key.pattern', '^[^\\[\\]]*$', ([key]: Entry) => !/[[\]]/.test(key), NO_KEY),
    holds('key.minLength', 1, ([key]: Entry) => key !== '', EACH),
    holds('key.maxLength', 40, ([key]: Entry, max) => isWithin(key, max), EACH),
    holds('value.type', 'string', ([, value]: Entry) => isString(value), EACH),
    holds('value.maxLength', 500, ([, value]: Entry, max) => isWithin(value, max), EACH),
  );
