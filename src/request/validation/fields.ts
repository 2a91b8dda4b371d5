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
  IsOptional,
  IsString,
  isString,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
  type ValidationArguments,
  type ValidationOptions,
} from 'class-validator';
import { ALL_EVENTS, type Facts } from '../../platform/facts.js';
import type { ParamCode } from '../../shared/errors.js';
import { type IdKind, idInWords, isId } from '../../shared/id.js';
import { CURRENCIES, MAX_AMOUNT } from '../../shared/money.js';
import { isVisible } from '../../shared/visible.js';
import { type Form, type Kinds, type RequestClass, resolved, type Said, type Texts } from './constraints.js';
import { FORMATS, type FormatName } from './formats.js';

export interface About extends Pick<Form, 'description' | 'default'> {
  /** The field may be missing. A text may also be null, because responses show a missing text as null. */
  readonly optional?: boolean | undefined;
}

export function field({ optional = false, ...context }: About & Form, ...rules: PropertyDecorator[]) {
  const presence = optional ? [ValidateIf((_, value) => value !== undefined)] : [];
  return applyDecorators(...presence, Allow({ context }), ...rules) as PropertyDecorator;
}

export const says = (code: ParamCode, message: Said['message'], allowed: Texts = []) => ({
  context: { code, message, allowed } satisfies Said,
});

export function holds(
  name: string,
  bound: unknown,
  fits: (value: never, facts: Facts) => boolean,
  options: ValidationOptions,
): PropertyDecorator {
  const validate = (value: unknown, given?: ValidationArguments) => fits(value as never, given?.object as Facts);
  return ValidateBy({ name, constraints: [bound], validator: { validate } }, options);
}

/** Code points, as PostgreSQL and JSON Schema count. MaxLength of class-validator skips variation selectors. */
export const isWithin = (text: unknown, max: number) =>
  isString(text) && (text.length <= max || [...text].length <= max);

export const TOO_LONG = says('too_long', 'must have at most $constraint1 characters');
export const TOO_SHORT = says('too_short', 'must have at least $constraint1 characters');

const isText = (each = false) => IsString({ ...says('invalid_type', 'must be a string'), each });
const atMost = (max: number, each = false) =>
  holds('maxLength', max, (text) => isWithin(text, max), { ...TOO_LONG, each });
const atLeast = (min: number) =>
  holds('minLength', min, (text) => isString(text) && !isWithin(text, min - 1), TOO_SHORT);

const text = ({ optional = false, ...about }: About, ...rules: PropertyDecorator[]) =>
  field(about, ...(optional ? [IsOptional()] : []), isText(), ...rules);

export const Integer = ({
  min,
  max,
  unit = '',
  ...about
}: About & Form & { min: number; max: number; unit?: string }) =>
  field(
    about,
    IsInt(says('invalid_type', `must be an integer${unit}`)),
    Min(min, says('too_small', 'must be at least $constraint1')),
    Max(max, says('too_large', `must be at most $constraint1${unit}`)),
  );

export const Amount = ({ min = 0, ...about }: About & { min?: number } = {}) =>
  Integer({ min, max: MAX_AMOUNT, unit: ', in the minor unit of the currency: 1299 is 12.99 USD', ...about });

export const Time = (about: About & { max: number }) => Integer({ min: 0, unit: ', in Unix seconds', ...about });

export const Flag = (about: About = {}) => field(about, IsBoolean(says('invalid_type', 'must be true or false')));

const BLANK = says('invalid_format', 'must have a visible character');
const isShown = (text: unknown) => isString(text) && (text === '' || isVisible(text));

export const Text = ({ min = 0, max, ...about }: About & { min?: number; max: number }) =>
  text(about, ...(min > 0 ? [atLeast(min)] : []), atMost(max), holds('isShown', 'isShown', isShown, BLANK));

function isOneOf(values: Texts, each = false): PropertyDecorator {
  const said = says('invalid_value', (facts) => `must be one of ${resolved(values, facts).join(', ')}`, values);
  return holds('isIn', values, (text, facts) => resolved(values, facts).includes(text), { ...said, each });
}

export const OneOf = (values: Texts, about: About = {}) => field(about, isText(), isOneOf(values));

function isIdOf(kinds: Kinds): PropertyDecorator {
  const fits = (id: unknown, facts: Facts) => isString(id) && resolved(kinds, facts).some((kind) => isId(kind, id));
  const said = says('invalid_format', (facts) => `must be ${resolved(kinds, facts).map(idInWords).join(', or ')}`);
  return holds('isIdOf', kinds, fits, said);
}

export const Id = (kind: IdKind, about: About = {}) => text(about, isIdOf([kind]));

const withEvents: Kinds = ({ resourcesWithEvents }) => resourcesWithEvents.map(({ id }) => id);

export const ResourceId = (about: About, kinds = withEvents) => text(about, isIdOf(kinds));

const isFormat = (name: FormatName, message: string, each = false) =>
  holds('isFormat', name, (text) => isString(text) && FORMATS[name](text), {
    ...says('invalid_format', message),
    each,
  });

const formatted = (max: number, name: FormatName, message: string) => (about: About) =>
  text(about, atMost(max), isFormat(name, message));

const isCurrency = (text: unknown) => isString(text) && FORMATS.isCurrency(text);
const NO_CURRENCY = says('invalid_value', 'must be an ISO 4217 currency code with a minor unit', CURRENCIES);

export const Currency = (about: About = {}) => text(about, holds('isCurrency', 'isCurrency', isCurrency, NO_CURRENCY));

const WEB_URL = 'must be an absolute https URL without user information, or in test mode http to localhost';
export const WebUrl = formatted(2048, 'isWebUrl', WEB_URL);

export const WebhookUrl = formatted(
  2048,
  'isWebhookUrl',
  'must be an absolute https URL (in test mode also http) without user information, with port 80, 443, or one from 1024 up',
);

/** RFC 5321 section 4.5.3.1: a path is at most 256 octets with its brackets. */
export const Email = formatted(254, 'isAddrSpec', 'must be one e-mail address');

/** RFC 5646 section 4.4.1 asks for room for 35 characters; tags in use are shorter. */
export const Locale = formatted(35, 'isLocale', 'must be a BCP 47 language tag or auto');

export const Instant = (about: About) =>
  text(about, isFormat('isInstant', 'must be Unix seconds, an RFC 3339 instant or a date'));

export const VisibleAscii = formatted(255, 'isVisibleAscii', 'must be visible ASCII without spaces');
export const KeyText = formatted(255, 'isKeyText', 'must be visible ASCII, with spaces only inside');

/** A nested object. When it is missing, the required fields inside it are reported instead. */
export const Fields = (nested: () => RequestClass, about: About = {}) => field({ ...about, nested });

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

export const ListOfUrls = (about: List) =>
  list(about, isText(true), atMost(2048, true), isFormat('isWebUrl', WEB_URL, true));

export const ListOfOrigins = (about: List) =>
  list(about, isText(true), isFormat('isOrigin', 'must be an origin like https://shop.example', true));

export const SomeOf = (values: Texts, about: Partial<List> = {}) =>
  list(
    { max: 100, ...about },
    ArrayUnique(says('duplicate', 'must name each value once')),
    isText(true),
    isOneOf(values, true),
  );

export const WantedEvents = (about: About = {}) =>
  SomeOf(({ eventTypes }) => [ALL_EVENTS, ...eventTypes], { min: 1, ...about });
