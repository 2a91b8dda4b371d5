import type { Mode } from '../../../shared/caller.js';
import { invalidParam } from '../../../shared/errors.js';
import {
  filledUrl,
  hasUser,
  isHttpUrl,
  MAX_FILLED,
  placeholderFault,
} from '../../../shared/web-url.js';

/** These are the placeholders of a payment URL, with the longest values that a shop may rely on. */
const LONGEST = {
  CHECKOUT_SESSION_ID: `cs_live_${'0'.repeat(26)}`,
  ORGANIZATION: `org_${'0'.repeat(26)}`,
  RETURN_URL: '0'.repeat(512),
  CANCEL_URL: '0'.repeat(512),
};
export type PaymentUrlValues = typeof LONGEST;

/**
 * Replaces the placeholders, inside a URL that may be part of a query. The result is undefined if
 * the URL is too long or malformed.
 */
export function filledPaymentUrl(url: string, values: PaymentUrlValues): string | undefined {
  const encoded = Object.entries(values).map(([name, value]) => [name, encodeURIComponent(value)]);
  return filledUrl(url, Object.fromEntries(encoded));
}

/**
 * Refuses with invalid_param unless the URL is https, or in test mode http, and works with every
 * session.
 */
export function requirePaymentUrl(param: string, url: string, mode: Mode): void {
  const isSecure = isHttpUrl(url) && (/^https:/i.test(url) || mode === 'test');
  if (hasUser(url)) throw refused(param, 'must not contain user information');
  if (!isSecure)
    throw refused(param, 'must be an https URL, with placeholders after its host only');
  const fault = placeholderFault(url, LONGEST);
  if (fault) throw refused(param, fault);
  if (filledUrl(url, LONGEST) !== undefined) return;
  const message =
    `${param} must have at most ${MAX_FILLED} characters, percent-encoded and with its ` +
    'placeholders filled.';
  throw invalidParam(param, 'too_long', message);
}

/**
 * Refuses a payment URL for all sessions that is unsuitable for one, or does not contain the
 * session's ID.
 */
export function requireTemplate(param: string, url: string | null | undefined, mode: Mode): void {
  if (url === null || url === undefined) return;
  requirePaymentUrl(param, url, mode);
  if (!/(?:\{|%7B)CHECKOUT_SESSION_ID/i.test(url))
    throw refused(param, 'must contain {CHECKOUT_SESSION_ID}');
}

const refused = (param: string, message: string) =>
  invalidParam(param, 'invalid_format', `${param} ${message}.`);
