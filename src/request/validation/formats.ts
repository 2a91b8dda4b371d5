/**
 * These formats of text are checked here, because class-validator does not check them, or checks
 * them differently.
 */
import { isEmail } from 'class-validator';
import { currencyOf } from '../../shared/money.js';
import { INVISIBLE } from '../../shared/visible.js';
import { isHttpsOrLocal, isHttpUrl } from '../../shared/web-url.js';

export const SECONDS = /^\d{1,12}$/;
/** An offset may begin with a space, because a query string turns a plus sign into one. */
export const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ]((?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d+)?)([Zz]|[+ -]\d\d:\d\d))?$/;
export const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
export const KEY_TEXT = /^[!-~](?:[ -~]*[!-~])?$/;

export const isVisibleAscii = (text: string) => VISIBLE_ASCII.test(text);
export const isKeyText = (text: string) => KEY_TEXT.test(text);
export const isCurrency = (text: string) => currencyOf(text) !== undefined;
export const isInstant = (text: string) => parseInstant(text) !== undefined;

/** Accepts https, or http to this machine. The domain refuses http in live mode. */
export function isWebUrl(text: string): boolean {
  return isHttpUrl(text) && isHttpsOrLocal(text);
}

/** class-validator does not know the tag of RFC 5321 before an IPv6 address. */
export function isAddrSpec(text: string): boolean {
  const untagged = text.replace(/@\[IPv6:(?=[\da-f.]*:[\da-f:.]*\]$)/i, '@[');
  return !INVISIBLE.test(text) && isEmail(untagged, { require_tld: false, allow_ip_domain: true });
}

export const MAX_EMAIL = 254;

export const isEmailAddress = (text: string) => text.length <= MAX_EMAIL && isAddrSpec(text);

/** The domain checks a URL. */
export const isContact = (text: string) => /^https?:/i.test(text) || isEmailAddress(text);

export function isLocale(text: string): boolean {
  try {
    return text === 'auto' || Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/** This is the last second of the year 9999. RFC 3339 has no later dates. */
const LAST_SECOND = 253_402_300_799;

export function parseInstant(text: string): number | undefined {
  if (SECONDS.test(text)) return parseSeconds(text);
  const parts = DATE_TIME.exec(text);
  if (!parts) return undefined;
  const [, date = '', time = '00:00:00', zone = 'Z'] = parts;
  if (!isCalendarDate(date)) return undefined;
  const isLeap = time.slice(6, 8) === '60';
  const toMillisecond = time.slice(0, '00:00:00.000'.length);
  const withoutLeap = toMillisecond.replace(/:60(?=\.|$)/, ':59');
  const offset = zone.toUpperCase().replace(' ', '+');
  const instant = Date.parse(`${date}T${withoutLeap}${offset}`) + (isLeap ? 1000 : 0);
  if (instant < 0 || Number.isNaN(instant)) return undefined;
  return isLeap && !beginsMonth(instant) ? undefined : instant;
}

/** Eight digits may be meant as a date, which is not a second of 1970. */
function parseSeconds(text: string): number | undefined {
  const seconds = Number(text);
  const asDate = text.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');
  return isCalendarDate(asDate) || seconds > LAST_SECOND ? undefined : seconds * 1000;
}

/** A leap second is the last one of a month (RFC 3339 section 5.7). */
const beginsMonth = (instant: number) => /-01T00:00:00/.test(new Date(instant).toISOString());

/** Date.parse reads 30 February as 2 March. */
const isCalendarDate = (date: string) =>
  new Date(`${date}T00:00:00Z`).getUTCDate() === Number(date.slice(8));
