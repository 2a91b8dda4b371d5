import type { Mode } from '../../../shared/caller.js';
import { invalidParams, type ParamError, paramError } from '../../../shared/errors.js';

const SESSION_ID = '{CHECKOUT_SESSION_ID}';
const RETURN_URL = '{RETURN_URL}';

/** Replaces the placeholders. The result is ASCII, as a header requires. */
export function fillIn(url: string, { id, returnUrl = '' }: { id: string; returnUrl?: string }): string {
  const filled = url.replaceAll(SESSION_ID, id).replaceAll(RETURN_URL, encodeURIComponent(returnUrl));
  return new URL(filled).href;
}

/** Refuses with invalid_param unless the URL is https, or in test mode http. */
export function requireSecure(param: string, url: string, mode: Mode): void {
  const isSecure = URL.canParse(url) && (/^https:/i.test(url) || (mode === 'test' && /^http:/i.test(url)));
  if (!isSecure) throw refused(param, 'must be an https URL');
}

/** Refuses a payment URL for all sessions that does not contain the session's ID. */
export function requireTemplate(param: string, url: string): void {
  if (!url.includes(SESSION_ID)) throw refused(param, `must contain ${SESSION_ID}`);
}

function refused(param: string, message: string) {
  const error: ParamError = paramError(param, 'invalid_format', `${param} ${message}.`);
  return invalidParams([error]);
}
