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
  Max,
  Min,
  ValidateBy,
  ValidateIf,
} from 'class-validator';
import { ALL_EVENTS } from '../platform/facts.js';
import { type IdKind, idInWords } from '../shared/id.js';
import { MAX_AMOUNT } from '../shared/money.js';
import { type Form, isObject, type RequestClass } from './constraints.js';
import type { FormatName } from './formats.js';
import { type Kinds, RULES, resolved, type Texts } from './rules.js';

export interface About extends Pick<Form, 'description' | 'default'> {
  /** The field may be missing. A text may also be null, because responses show a missing text as null. */
  readonly optional?: boolean | undefined;
}

export function field({ optional = false, ...context }: About & Form, ...rules: PropertyDecorator[]) {
  const presence = optional ? [ValidateIf((_, value) => value !== undefined)] : [];
  return applyDecorators(...presence, Allow({ context }), ...rules) as PropertyDecorator;
}

/** A rule that class-validator lacks: one of RULES, with its bound. */
function holds(name: string, bound: unknown, message: string | (() => string), each = false): PropertyDecorator {
  const validate = (value: unknown) => RULES[name]?.fits(value as never, bound as never) === true;
  return ValidateBy({ name, constraints: [bound], validator: { validate } }, { message, each });
}

const isText = (each = false) => IsString({ message: 'must be a string', each });
const atMost = (max: number, each = false) =>
  holds('maxLength', max, 'must have at most $constraint1 characters', each);
const atLeast = (min: number) => holds('minLength', min, 'must have at least $constraint1 characters');

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
    IsInt({ message: `must be an integer${unit}` }),
    Min(min, { message: 'must be at least $constraint1' }),
    Max(max, { message: `must be at most $constraint1${unit}` }),
  );

export const Amount = ({ min = 0, ...about }: About & { min?: number } = {}) =>
  Integer({ min, max: MAX_AMOUNT, unit: ', in the minor unit of the currency: 1299 is 12.99 USD', ...about });

export const Time = (about: About & { max: number }) => Integer({ min: 0, unit: ', in Unix seconds', ...about });

export const Flag = (about: About = {}) => field(about, IsBoolean({ message: 'must be true or false' }));

export const Text = ({ min = 0, max, ...about }: About & { min?: number; max: number }) =>
  text(about, ...(min > 0 ? [atLeast(min)] : []), atMost(max));

const isOneOf = (values: Texts, each = false) =>
  holds('isIn', values, () => `must be one of ${resolved(values).join(', ')}`, each);

export const OneOf = (values: Texts, about: About = {}) => field(about, isText(), isOneOf(values));

function isIdOf(kinds: Kinds): PropertyDecorator {
  return holds('isIdOf', kinds, () => `must be ${resolved(kinds).map(idInWords).join(', or ')}`);
}

export const Id = (kind: IdKind, about: About = {}) => text(about, isIdOf([kind]));

const withEvents: Kinds = ({ resourcesWithEvents }) => resourcesWithEvents.map(({ id }) => id);

export const ResourceId = (about: About, kinds = withEvents) => text(about, isIdOf(kinds));

const formatted = (max: number, name: FormatName, message: string) => (about: About) =>
  text(about, atMost(max), holds('isFormat', name, message));

export const Currency = (about: About = {}) =>
  text(about, holds('isCurrency', 'isCurrency', 'must be an ISO 4217 currency code with a minor unit'));

const WEB_URL = 'must be an absolute https URL, or in test mode http to localhost';
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
  text(about, holds('isFormat', 'isInstant', 'must be Unix seconds, an RFC 3339 instant or a date'));

export const VisibleAscii = formatted(255, 'isVisibleAscii', 'must be visible ASCII without spaces');
export const KeyText = formatted(255, 'isKeyText', 'must be visible ASCII, with spaces only inside');

/** A nested object. When it is missing, the required fields inside it are reported instead. */
export const Fields = (nested: () => RequestClass, about: About = {}) => field({ ...about, nested });

interface List extends About {
  readonly min?: number;
  readonly max: number;
}

function list({ min = 0, max, ...about }: List & Form, ...rules: PropertyDecorator[]): PropertyDecorator {
  return field(
    { ...about, most: max },
    IsArray({ message: 'must be an array' }),
    ...(min > 0 ? [ArrayMinSize(min, { message: 'must have at least $constraint1 entries' })] : []),
    ArrayMaxSize(max, { message: 'must have at most $constraint1 entries' }),
    ...rules,
  );
}

export const ListOf = (nested: () => RequestClass, about: List) => list({ ...about, nested });

export const ListOfUrls = (about: List) =>
  list(about, isText(true), atMost(2048, true), holds('isFormat', 'isWebUrl', WEB_URL, true));

export const WantedEvents = (about: About = {}) =>
  list(
    { min: 1, max: 100, ...about },
    ArrayUnique({ message: 'must name each type once' }),
    isText(true),
    isOneOf(({ eventTypes }) => [ALL_EVENTS, ...eventTypes], true),
  );

/** Its rules are for its entries. What is no object must not look like a list of them. */
export const Metadata = (about: About = {}) =>
  field(
    { ...about, most: 50, read: (sent) => (isObject(sent) ? Object.entries(sent) : {}) },
    IsArray({ message: 'must be an object' }),
    ArrayMaxSize(50, { message: 'must have at most $constraint1 keys' }),
    // Form encodings interpret brackets in a key as a path.
    holds('key.pattern', '^[^\\[\\]]*$', 'needs a key without [ and ]', true),
    holds('key.minLength', 1, 'must have at least $constraint1 characters', true),
    holds('key.maxLength', 40, 'must have at most $constraint1 characters', true),
    holds('value.type', 'string', 'must be a string', true),
    holds('value.maxLength', 500, 'must have at most $constraint1 characters', true),
  );
