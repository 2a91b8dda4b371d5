import type { Declarations } from '../../src/platform/module-declaration.js';
import { exampleId, widthOf } from '../../src/request/schema.js';
import {
  type Field,
  fieldsOf,
  type RequestClass,
  type Rule,
} from '../../src/request/validation/constraints.js';
import {
  DATE_TIME,
  KEY_TEXT,
  SECONDS,
  VISIBLE_ASCII,
} from '../../src/request/validation/formats.js';
import type { IdKind } from '../../src/shared/id.js';

type Keywords = Readonly<Record<string, unknown>>;

/** This pattern was released. The service also refuses braces in the host. */
const WEB_URL = String.raw`^[Hh][Tt][Tt][Pp][Ss]?://[^\s\\/?#][^\s\\]*$`;

const FORMATS: Readonly<Record<string, Keywords>> = {
  isCurrency: { pattern: '^[A-Za-z]{3}$', examples: ['usd'] },
  isWebUrl: { format: 'iri', pattern: WEB_URL, examples: ['https://shop.example/thanks'] },
  isCallbackUrl: { format: 'iri', pattern: WEB_URL, examples: ['https://shop.example/webhooks'] },
  isAddrSpec: { format: 'idn-email', pattern: '^.+@[^@]+$', examples: ['ada@example.com'] },
  isContact: { examples: ['help@shop.example'] },
  isLocale: { pattern: '^[A-Za-z0-9-]+$', examples: ['en-US', 'auto'] },
  isInstant: {
    pattern: `${SECONDS.source}|${DATE_TIME.source}`,
    examples: ['1763700000', '2026-01-31T10:00:00Z', '2026-01-31'],
  },
  isVisibleAscii: { pattern: VISIBLE_ASCII.source, examples: ['capture-4711'] },
  isOrigin: { format: 'uri', pattern: '^https?://[^/?#]+$', examples: ['https://shop.example'] },
  isKeyText: { pattern: KEY_TEXT.source, examples: ['return-4711'] },
  // JSON Schema has no keyword for this rule.
  isShown: {},
};

/**
 * The keyword of each rule, by the name of the rule. A rule for the keys or values of a map is
 * named after the keyword.
 */
const KEYWORDS: Readonly<Record<string, (bound: never) => Keywords>> = {
  isString: () => ({ type: 'string' }),
  isInt: () => ({ type: 'integer' }),
  isBoolean: () => ({ type: 'boolean' }),
  isArray: () => ({ type: 'array' }),
  min: (minimum: number) => ({ minimum }),
  max: (maximum: number) => ({ maximum }),
  minLength: (minLength: number) => ({ minLength }),
  maxLength: (maxLength: number) => ({ maxLength }),
  arrayMinSize: (minItems: number) => ({ minItems }),
  arrayMaxSize: (maxItems: number) => ({ maxItems }),
  arrayUnique: () => ({ uniqueItems: true }),
  isIn: (values: readonly string[]) => ({ enum: values }),
  isIdOf: (kinds: readonly IdKind[]) => ({
    pattern: kinds.map(({ pattern }) => pattern.source).join('|'),
    examples: kinds.slice(0, 1).map(exampleId),
  }),
};

export function objectSchema(
  request: RequestClass,
  declarations: Declarations,
  schemaOf: (field: Field) => Keywords,
): Keywords {
  const fields = [...fieldsOf(request, declarations)];
  const required = fields.filter(([, { optional }]) => !optional).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, schemaOf(field)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

type OfClass = (type: RequestClass) => Keywords;

export function shownSchema(field: Field, ofClass: OfClass): Keywords {
  const { description, default: fallback } = field;
  return {
    ...valueSchema(field, ofClass),
    ...(description !== undefined && { description }),
    ...(fallback !== undefined && { default: fallback }),
  };
}

function valueSchema({ nested, rules, entryRules, nullable }: Field, ofClass: OfClass): Keywords {
  const own = merged(rules);
  if (entryRules.some(({ name }) => name.includes('.'))) return mapSchema(own, entryRules);
  if (own.type === 'array')
    return { ...own, items: nested ? ofClass(nested()) : merged(entryRules) };
  if (nested) return ofClass(nested());
  return nullable ? { ...own, type: [own.type, 'null'] } : own;
}

function mapSchema({ maxItems }: Keywords, ofEntries: readonly Rule[]): Keywords {
  const of = (part: string) =>
    ofEntries
      .filter(({ name }) => name.startsWith(`${part}.`))
      .map(({ name, bound }) => [name.split('.')[1], bound]);
  return {
    type: 'object',
    maxProperties: maxItems,
    propertyNames: { type: 'string', ...Object.fromEntries(of('key')) },
    additionalProperties: Object.fromEntries(of('value')),
  };
}

function merged(rules: readonly Rule[]): Keywords {
  const keywords: Keywords = Object.assign(
    {},
    ...rules.map(({ name, bound }) => KEYWORDS[name]?.(bound as never) ?? formatOf(name)),
  );
  return keywords.type === 'integer' ? { ...keywords, ...widthOf(keywords) } : keywords;
}

function formatOf(name: string): Keywords {
  const keywords = FORMATS[name];
  if (keywords === undefined) throw new Error(`The description knows no keywords of ${name}.`);
  return keywords;
}
