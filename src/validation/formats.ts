/** Formats of text that class-validator does not check, or checks differently. */

import { isEmail } from 'class-validator';
import { currencyOf } from '../shared/money.js';
import { isHttpUrl } from '../shared/web-url.js';
import { isHttpsOrLocal, isWebhookUrl } from '../shared/webhook-urls.js';

export const SECONDS = /^\d{1,12}$/;
/** An offset may begin with a space, because a query string turns a plus sign into one. */
export const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ]((?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d{1,9})?)([Zz]|[+ -]\d\d:\d\d))?$/;
export const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
export const KEY_TEXT = /^[!-~](?:[ -~]*[!-~])?$/;

export const FORMATS = {
  isCurrency: (text: string) => currencyOf(text) !== undefined,
  isWebUrl,
  isWebhookUrl,
  isAddrSpec: (text: string) => isEmail(text, { require_tld: false, allow_ip_domain: true }),
  isLocale,
  isInstant: (text: string) => parseInstant(text) !== undefined,
  isVisibleAscii: (text: string) => VISIBLE_ASCII.test(text),
  isKeyText: (text: string) => KEY_TEXT.test(text),
};
export type FormatName = keyof typeof FORMATS;

/** https, or http to this machine. The domain refuses http in live mode. */
function isWebUrl(text: string): boolean {
  return isHttpUrl(text) && isHttpsOrLocal(text);
}

function isLocale(text: string): boolean {
  try {
    return text === 'auto' || Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/** The last second of the year 9999. RFC 3339 has no later dates. */
const LAST_SECOND = 253_402_300_799;

export function parseInstant(text: string): number | undefined {
  if (SECONDS.test(text)) return Number(text) <= LAST_SECOND ? Number(text) * 1000 : undefined;
  const parts = DATE_TIME.exec(text);
  if (!parts) return undefined;
  const [, date = '', time = '00:00:00', zone = 'Z'] = parts;
  // Date.parse reads 30 February as 2 March.
  if (new Date(`${date}T00:00:00Z`).getUTCDate() !== Number(date.slice(8))) return undefined;
  const instant = Date.parse(`${date}T${time}${zone.toUpperCase().replace(' ', '+')}`);
  return instant >= 0 ? instant : undefined;
}
