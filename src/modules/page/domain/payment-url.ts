import type { Mode } from '../../../shared/caller.js';
import { invalidParams, type ParamError, paramError } from '../../../shared/errors.js';

const SESSION_ID = '{CHECKOUT_SESSION_ID}';
const RETURN_URL = '{RETURN_URL}';

/** The URL with its placeholders filled in, in the form that a header can hold. */
export function fillIn(url: string, { id, returnUrl = '' }: { id: string; returnUrl?: string }): string {
  const filled = url.replaceAll(SESSION_ID, id).replaceAll(RETURN_URL, encodeURIComponent(returnUrl));
  return new URL(filled).href;
}

/** Refuses a place to pay that is no https URL (in test mode also http) with invalid_param. */
export function requireSecure(param: string, url: string, mode: Mode): void {
  const isSecure = URL.canParse(url) && (/^https:/i.test(url) || (mode === 'test' && /^http:/i.test(url)));
  if (!isSecure) throw refused(param, 'must be an https URL');
}

/** Refuses a place to pay for all sessions that does not tell them apart. */
export function requireTemplate(param: string, url: string): void {
  if (!url.includes(SESSION_ID)) throw refused(param, `must have ${SESSION_ID} in it`);
}

function refused(param: string, message: string) {
  const error: ParamError = paramError(param, 'invalid_format', `${param} ${message}.`);
  return invalidParams([error]);
}
