/** The string formats of requests: one table for the check, its answer, and the JSON Schema that names it. */
import { isEmail } from 'class-validator';
import { invalidParams, type ParamCode, paramError } from '../../shared/errors.js';
import { type IdKind, idPattern, isId } from '../../shared/id.js';
import { CURRENCIES, currencyOf } from '../../shared/money.js';
import { exampleId } from './schema.js';

export interface Format {
  readonly check: (text: string) => boolean;
  readonly code: ParamCode;
  /** Completes a sentence that begins with the parameter's name. */
  readonly message: string;
  readonly allowed?: readonly string[];
  readonly maxLength?: number;
  /** The check as far as JSON Schema can say it: whatever the check accepts, this does too. */
  readonly described: Readonly<Record<string, unknown>>;
}

export type FormatName =
  | 'currency'
  | 'web-url'
  | 'addr-spec'
  | 'locale'
  | 'instant'
  | 'visible-ascii'
  | 'resource-id'
  | `${IdKind}-id`;

/** URL parsing is forgiving: it drops white space and reads "https:\\host" as "https://host". Receivers are not. */
const WEB_URL = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s\\/?#][^\s\\]*$/;
const SECONDS = /^\d{1,12}$/;
/** A plus sign in a query string is read as a space. */
const INSTANT = /^(\d{4}-\d\d-\d\d)(?:[Tt ]((?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d{1,9})?)([Zz]|[+ -]\d\d:\d\d))?$/;
/** Nearly every address; the whole truth takes the library ten times as long. */
export const PLAIN_EMAIL = /^(?=[^@]{1,64}@)\w+(?:[.+-]\w+)*@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
const RESOURCES: readonly IdKind[] = ['cs', 're', 'pay'];

export const FORMATS: Readonly<Record<FormatName, Format>> = {
  currency: {
    check: (text) => currencyOf(text) !== undefined,
    code: 'invalid_value',
    message: 'must be an ISO 4217 currency code with a minor unit',
    allowed: CURRENCIES,
    described: { pattern: '^[A-Za-z]{3}$', examples: ['usd'] },
  },
  'web-url': {
    check: isWebUrl,
    code: 'invalid_format',
    message: 'must be an absolute https URL',
    maxLength: 2048,
    described: { format: 'iri', pattern: WEB_URL.source, examples: ['https://shop.example/thanks'] },
  },
  'addr-spec': {
    check: (text) => PLAIN_EMAIL.test(text) || isEmail(text, { require_tld: false, allow_ip_domain: true }),
    code: 'invalid_format',
    message: 'must be one e-mail address',
    // RFC 5321 section 4.5.3.1: a path is at most 256 octets with its brackets.
    maxLength: 254,
    described: { format: 'idn-email', pattern: '^.+@[^@]+$', examples: ['ada@example.com'] },
  },
  // RFC 5646 section 4.4.1 asks for room for 35 characters; tags in use are shorter.
  locale: {
    check: isLocale,
    code: 'invalid_format',
    message: 'must be a BCP 47 language tag or auto',
    maxLength: 35,
    described: { pattern: '^[A-Za-z0-9-]+$', examples: ['en-US', 'auto'] },
  },
  instant: {
    check: (text) => parseInstant(text) !== undefined,
    code: 'invalid_format',
    message: 'must be Unix seconds, an RFC 3339 instant or a date',
    described: {
      pattern: `${SECONDS.source}|${INSTANT.source}`,
      examples: ['1763700000', '2026-01-31T10:00:00Z', '2026-01-31'],
    },
  },
  'visible-ascii': {
    check: (text) => VISIBLE_ASCII.test(text),
    code: 'invalid_format',
    message: 'must be visible ASCII without spaces',
    maxLength: 255,
    described: { pattern: VISIBLE_ASCII.source, examples: ['capture-4711'] },
  },
  'resource-id': {
    check: (text) => RESOURCES.some((kind) => isId(kind, text)),
    code: 'invalid_format',
    message: 'must be the identifier of a session, a refund or a payment',
    described: { pattern: RESOURCES.map(idPattern).join('|'), examples: [exampleId('cs')] },
  },
  'cs-id': idFormat('cs'),
  're-id': idFormat('re'),
  'pay-id': idFormat('pay'),
  'org-id': idFormat('org'),
  'key-id': idFormat('key'),
  'evt-id': idFormat('evt'),
};

function idFormat(kind: IdKind): Format {
  return {
    check: (text) => isId(kind, text),
    code: 'invalid_format',
    message: `must be an identifier that begins with ${kind}_`,
    described: { pattern: idPattern(kind), examples: [exampleId(kind)] },
  };
}

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** https, or http to this machine (which only test mode accepts; the domain checks that). */
function isWebUrl(text: string): boolean {
  if (!WEB_URL.test(text) || !URL.canParse(text)) return false;
  return /^https/i.test(text) || LOCAL_HOSTS.includes(new URL(text).hostname);
}

function isLocale(text: string): boolean {
  try {
    return text === 'auto' || Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/** The last second of the year 9999, past which dates have no four-digit year. */
const LAST_SECOND = 253_402_300_799;

/** Milliseconds of Unix seconds, an RFC 3339 instant or a date (midnight UTC). */
export function parseInstant(text: string): number | undefined {
  if (SECONDS.test(text)) return Number(text) <= LAST_SECOND ? Number(text) * 1000 : undefined;
  const parts = INSTANT.exec(text);
  if (!parts) return undefined;
  const [, date = '', time = '00:00:00', zone = 'Z'] = parts;
  // Date.parse reads 30 February as 2 March.
  if (new Date(`${date}T00:00:00Z`).getUTCDate() !== Number(date.slice(8))) return undefined;
  const instant = Date.parse(`${date}T${time}${zone.toUpperCase().replace(' ', '+')}`);
  return instant >= 0 ? instant : undefined;
}

/** The instants of a list's `from` and `to`. Throws an invalid_param refusal when the range is upside down. */
export function parseRange(query: { from?: string; to?: string }) {
  const from = query.from === undefined ? undefined : parseInstant(query.from);
  const to = query.to === undefined ? undefined : parseInstant(query.to);
  if (from !== undefined && to !== undefined && from > to) {
    throw invalidParams([paramError('from', 'too_large', 'from must not be after to.')]);
  }
  return { from, to };
}
