/** The decorators of request classes. Each combines decorators of class-validator with the messages that callers see. */
import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import {
  Allow,
  ArrayMaxSize,
  ArrayMinSize,
  IS_IN,
  IsArray,
  IsBoolean,
  IsInt,
  IsOptional,
  IsString,
  isIn,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import type { Facts } from '../platform/facts.js';
import { exampleId } from '../platform/http/schema.js';
import { type IdKind, idPattern, isId } from '../shared/id.js';
import { CURRENCIES, MAX_AMOUNT } from '../shared/money.js';
import { type FieldContext, type Nested, type OfFacts, type RequestClass, resolved } from './constraints.js';
import { FORMATS, type FormatName, INSTANT, WEB_URL } from './formats.js';

export interface About extends Pick<FieldContext, 'description' | 'default'> {
  /** The field may be missing. A text may also be null, because responses show a missing text as null. */
  readonly optional?: boolean | undefined;
}

type Options = About & FieldContext;

export function field(
  { optional = false, ...context }: Options,
  ...decorators: PropertyDecorator[]
): PropertyDecorator {
  const presence = optional ? [ValidateIf((_, value) => value !== undefined)] : [];
  return applyDecorators(...presence, Allow({ context }), ...decorators) as PropertyDecorator;
}

const text = ({ optional = false, ...context }: Options, ...decorators: PropertyDecorator[]) =>
  field(context, ...(optional ? [IsOptional()] : []), IsString({ message: 'must be a string' }), ...decorators);

export const Integer = ({ min, max, ...context }: Options & { min: number; max: number }) =>
  field(
    context,
    IsInt({ message: 'must be an integer' }),
    Min(min, { message: 'must be at least $constraint1' }),
    Max(max, { message: 'must be at most $constraint1' }),
  );

export const Flag = (about: About = {}) => field(about, IsBoolean({ message: 'must be true or false' }));

export const Amount = ({ min = 0, ...about }: About & { min?: number } = {}) =>
  Integer({ min, max: MAX_AMOUNT, ...about });

export const Text = ({ min = 0, max, ...about }: About & { min?: number; max: number }) =>
  text(about, ...(min > 0 ? [MinCharacters(min)] : []), MaxCharacters(max));

export function OneOf(values: OfFacts<readonly string[]>, about: About = {}): PropertyDecorator {
  const validate = (value: unknown) => isIn(value, resolved(values));
  const message = () => `must be one of ${resolved(values).join(', ')}`;
  const isOneOf = ValidateBy({ name: IS_IN, constraints: [values], validator: { validate } }, { message });
  return field({ ...about, allowed: values }, IsString({ message: 'must be a string' }), isOneOf);
}

export const Id = (kind: IdKind, about: About = {}) =>
  text(
    { ...about, shown: { examples: [exampleId(kind)] } },
    Matches(new RegExp(idPattern(kind)), { message: `must be an identifier that begins with ${kind.prefix}_` }),
  );

/** An ID of the caller's own: visible ASCII. */
const ascii =
  (pattern: RegExp, spaces: string, example: string) =>
  (about: About = {}) =>
    text(
      { ...about, shown: { examples: [example] } },
      MaxCharacters(255),
      Matches(pattern, { message: `must be visible ASCII${spaces}` }),
    );

export const VisibleAscii = ascii(/^[\x21-\x7e]+$/, ' without spaces', 'capture-4711');

/** With the characters of an idempotency key. */
export const KeyText = ascii(/^[!-~](?:[ -~]*[!-~])?$/, ', with spaces only inside', 'return-4711');

const formatted =
  (name: FormatName, message: string | (() => string), { max, ...context }: FieldContext & { max?: number }) =>
  (about: About = {}) => {
    const validate = (value: unknown) => typeof value === 'string' && FORMATS[name](value);
    const hasFormat = ValidateBy({ name, validator: { validate } }, { message });
    return text({ ...about, ...context }, ...(max === undefined ? [] : [MaxCharacters(max)]), hasFormat);
  };

const kinds = ({ resourcesWithEvents }: Facts): IdKind[] => resourcesWithEvents.map(({ id }) => id);

export function ResourceId(about: About): PropertyDecorator {
  const pattern = (facts: Facts) => kinds(facts).map(idPattern).join('|');
  const validate = (value: unknown) => resolved(kinds).some((kind) => typeof value === 'string' && isId(kind, value));
  const prefixes = () => resolved(kinds).map(({ prefix }) => `${prefix}_`);
  const message = () => `must be an identifier that begins with ${prefixes().join(', ')}`;
  const isOfKind = ValidateBy({ name: 'isResourceId', constraints: [pattern], validator: { validate } }, { message });
  const shown = (facts: Facts) => ({ examples: kinds(facts).slice(0, 1).map(exampleId) });
  return text({ ...about, shown }, isOfKind);
}

export const Currency = formatted('isCurrency', 'must be an ISO 4217 currency code with a minor unit', {
  allowed: CURRENCIES,
  shown: { pattern: '^[A-Za-z]{3}$', examples: ['usd'] },
});

export const WebUrl = formatted('isWebUrl', 'must be an absolute https URL, or in test mode http to localhost', {
  max: 2048,
  shown: { format: 'iri', pattern: WEB_URL, examples: ['https://shop.example/thanks'] },
});

export const WebhookUrl = formatted(
  'isWebhookUrl',
  'must be an absolute https URL (in test mode also http) without user information, with port 80, 443, or one from 1024 up',
  { max: 2048, shown: { format: 'iri', pattern: WEB_URL, examples: ['https://shop.example/webhooks'] } },
);

/** RFC 5321 section 4.5.3.1: a path is at most 256 octets with its brackets. */
export const Email = formatted('isAddrSpec', 'must be one e-mail address', {
  max: 254,
  shown: { format: 'idn-email', pattern: '^.+@[^@]+$', examples: ['ada@example.com'] },
});

/** RFC 5646 section 4.4.1 asks for room for 35 characters; tags in use are shorter. */
export const Locale = formatted('isLocale', 'must be a BCP 47 language tag or auto', {
  max: 35,
  shown: { pattern: '^[A-Za-z0-9-]+$', examples: ['en-US', 'auto'] },
});

export const Instant = formatted('isInstant', 'must be Unix seconds, an RFC 3339 instant or a date', {
  shown: { pattern: INSTANT.source, examples: ['1763700000', '2026-01-31T10:00:00Z', '2026-01-31'] },
});

/** A nested object. When it is missing, the required fields inside it are reported instead. */
export const Fields = (type: () => RequestClass, about: About = {}) =>
  field(about, Type(type), ValidateNested({ message: 'must be an object', context: { type, as: 'object' } }));

type Lists = About & Partial<Pick<Nested, 'as'>> & { min?: number; max: number };

export const ListOf = (
  type: () => RequestClass,
  { as = 'list', min = 0, max, ...about }: Lists,
  ...rules: PropertyDecorator[]
) =>
  field(
    about,
    Type(type),
    IsArray({ message: 'must be an array' }),
    ...(min > 0 ? [ArrayMinSize(min, { message: 'must have at least $constraint1 entries' })] : []),
    ArrayMaxSize(max, { message: 'must have at most $constraint1 entries' }),
    ...rules,
    ValidateNested({ each: true, message: 'must be an object', context: { type, as } }),
  );

/** Form encodings interpret brackets in a key as a path. */
const NO_BRACKETS = Matches(/^[^[\]]*$/, { message: 'needs a key without [ and ]' });

export class MetadataEntry {
  @text({ shown: { pattern: '^[^\\[\\]]*$' } }, NO_BRACKETS, MinCharacters(1), MaxCharacters(40)) key!: string;
  @Text({ max: 500 }) value!: string;
}

export const Metadata = (about: About = {}) =>
  field(
    about,
    Type(() => MetadataEntry),
    IsArray({ message: 'must be an object' }),
    ArrayMaxSize(50, { message: 'must have at most $constraint1 keys' }),
    ValidateNested({ each: true, context: { type: () => MetadataEntry, as: 'entries' } }),
  );

function MinCharacters(min: number): PropertyDecorator {
  return characters('minLength', min, 'must have at least $constraint1 characters', (length) => length >= min);
}

function MaxCharacters(max: number): PropertyDecorator {
  return characters('maxLength', max, 'must have at most $constraint1 characters', (length) => length <= max);
}

/** Counts code points, like PostgreSQL and JSON Schema. MinLength and MaxLength of class-validator skip variation selectors. */
function characters(name: string, bound: number, message: string, fits: (length: number) => boolean) {
  const validate = (value: unknown) => fits([...String(value)].length);
  return ValidateBy({ name, constraints: [bound], validator: { validate } }, { message });
}
