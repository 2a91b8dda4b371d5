/** The decorators of request classes. Each combines decorators of class-validator with the messages that callers see. */
import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import {
  Allow,
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { exampleId } from '../platform/http/schema.js';
import { type IdKind, idPattern } from '../shared/id.js';
import { CURRENCIES, MAX_AMOUNT } from '../shared/money.js';
import type { FieldContext, RequestClass } from './constraints.js';
import { FORMATS, type FormatName, INSTANT, kindsWithEvents, WEB_URL } from './formats.js';

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

export const OneOf = (values: readonly string[], about: About = {}) =>
  field(
    { ...about, allowed: values },
    IsString({ message: 'must be a string' }),
    IsIn(values, { message: () => `must be one of ${values.join(', ')}` }),
  );

export const Id = (kind: IdKind, about: About = {}) =>
  text(
    { ...about, shown: { examples: [exampleId(kind)] } },
    Matches(new RegExp(idPattern(kind)), { message: `must be an identifier that begins with ${kind.prefix}_` }),
  );

export const ResourceId = (about: About = {}) =>
  text(
    {
      ...about,
      // Getters, because the modules declare their resources after this decorator has run.
      shown: {
        get pattern() {
          return kindsWithEvents().map(idPattern).join('|');
        },
        get examples() {
          return kindsWithEvents().slice(0, 1).map(exampleId);
        },
      },
    },
    HasFormat(
      'isResourceId',
      () =>
        `must be an identifier that begins with ${kindsWithEvents()
          .map(({ prefix }) => `${prefix}_`)
          .join(', ')}`,
    ),
  );

export const VisibleAscii = (about: About = {}) =>
  text(
    { ...about, shown: { examples: ['capture-4711'] } },
    MaxCharacters(255),
    Matches(/^[\x21-\x7e]+$/, { message: 'must be visible ASCII without spaces' }),
  );

export const Currency = (about: About = {}) =>
  text(
    { ...about, allowed: CURRENCIES, shown: { pattern: '^[A-Za-z]{3}$', examples: ['usd'] } },
    HasFormat('isCurrency', 'must be an ISO 4217 currency code with a minor unit'),
  );

export const WebUrl = (about: About = {}) =>
  text(
    { ...about, shown: { format: 'iri', pattern: WEB_URL.source, examples: ['https://shop.example/thanks'] } },
    MaxCharacters(2048),
    HasFormat('isWebUrl', 'must be an absolute https URL, or in test mode http to localhost'),
  );

export const WebhookUrl = (about: About = {}) =>
  text(
    { ...about, shown: { format: 'iri', pattern: WEB_URL.source, examples: ['https://shop.example/webhooks'] } },
    MaxCharacters(2048),
    HasFormat(
      'isWebhookUrl',
      'must be an absolute https URL (in test mode also http) without user information, with port 80, 443, or one from 1024 up',
    ),
  );

/** RFC 5321 section 4.5.3.1: a path is at most 256 octets with its brackets. */
export const Email = (about: About = {}) =>
  text(
    { ...about, shown: { format: 'idn-email', pattern: '^.+@[^@]+$', examples: ['ada@example.com'] } },
    MaxCharacters(254),
    HasFormat('isAddrSpec', 'must be one e-mail address'),
  );

/** RFC 5646 section 4.4.1 asks for room for 35 characters; tags in use are shorter. */
export const Locale = (about: About = {}) =>
  text(
    { ...about, shown: { pattern: '^[A-Za-z0-9-]+$', examples: ['en-US', 'auto'] } },
    MaxCharacters(35),
    HasFormat('isLocale', 'must be a BCP 47 language tag or auto'),
  );

export const Instant = (about: About = {}) =>
  text(
    {
      ...about,
      shown: { pattern: INSTANT.source, examples: ['1763700000', '2026-01-31T10:00:00Z', '2026-01-31'] },
    },
    HasFormat('isInstant', 'must be Unix seconds, an RFC 3339 instant or a date'),
  );

/** A nested object. When it is missing, the required fields inside it are reported instead. */
export const Fields = (type: () => RequestClass, about: About = {}) =>
  field(about, Type(type), ValidateNested({ message: 'must be an object', context: { type, as: 'object' } }));

export const ListOf = (type: () => RequestClass, { min, max, ...about }: About & { min: number; max: number }) =>
  field(
    about,
    Type(type),
    IsArray({ message: 'must be an array' }),
    ArrayMinSize(min, { message: 'must have at least $constraint1 entries' }),
    ArrayMaxSize(max, { message: 'must have at most $constraint1 entries' }),
    ValidateNested({ each: true, message: 'must be an object', context: { type, as: 'list' } }),
  );

/** Form encodings interpret brackets in a key as a path. */
const NO_BRACKETS = Matches(/^[^[\]]*$/, { message: 'needs a key without [ and ]' });

export class MetadataEntry {
  @text({ shown: { pattern: '^[^\\[\\]]*$' } }, NO_BRACKETS, MinCharacters(1), MaxCharacters(40)) key!: string;
  @Text({ max: 500 }) value!: string;
}

/** Up to 50 strings under keys of the caller's choice, validated as a list of entries. */
export const Metadata = (about: About = {}) =>
  field(
    about,
    Type(() => MetadataEntry),
    IsArray({ message: 'must be an object' }),
    ArrayMaxSize(50, { message: 'must have at most $constraint1 keys' }),
    ValidateNested({ each: true, context: { type: () => MetadataEntry, as: 'entries' } }),
  );

function HasFormat(name: FormatName, message: string | (() => string)): PropertyDecorator {
  const validate = (value: unknown) => typeof value === 'string' && FORMATS[name](value);
  return ValidateBy({ name, validator: { validate } }, { message });
}

function MinCharacters(min: number): PropertyDecorator {
  const about = {
    name: 'minLength',
    constraints: [min],
    validator: { validate: (value: unknown) => lengthOf(value) >= min },
  };
  return ValidateBy(about, { message: 'must have at least $constraint1 characters' });
}

function MaxCharacters(max: number): PropertyDecorator {
  const about = {
    name: 'maxLength',
    constraints: [max],
    validator: { validate: (value: unknown) => lengthOf(value) <= max },
  };
  return ValidateBy(about, { message: 'must have at most $constraint1 characters' });
}

/** In code points, like PostgreSQL and JSON Schema. The MinLength and MaxLength of class-validator skip variation selectors. */
function lengthOf(value: unknown): number {
  return [...String(value)].length;
}
