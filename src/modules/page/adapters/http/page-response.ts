import { HttpResponse } from '../../../../request/response.js';
import type { CheckoutPage } from '../../application/checkout-page.js';
import { SCRIPT, STYLE } from '../representation/document.views.js';

/**
 * The pattern matches origins that are safe in a policy: they cannot end a directive and begin
 * another.
 */
const ORIGIN = /^https?:\/\/[a-z0-9.-]+(?::\d+)?$/;

interface PagePolicy {
  /** Forms of the page may lead to these sources. A browser also checks each redirect. */
  readonly formTargets?: readonly string[];
  /**
   * Pages of these origins may show this one in a frame. It is undefined for a page that no frame
   * may show.
   */
  readonly frameOrigins?: readonly string[] | undefined;
}

export function pageResponse(status: number, body: string, policy: PagePolicy = {}): HttpResponse {
  return new HttpResponse({ status, body }).with(headersOf(policy));
}

/** Adds the headers of a page to a 303, after which the browser sends a GET. */
export function seeOther<Response extends HttpResponse>(response: Response): Response {
  return response.with(headersOf({}));
}

/**
 * Allows any host of the payment URL's scheme, because a payment URL may redirect to a payment
 * provider.
 */
export function formTargets({ placeToPay, onward }: CheckoutPage): readonly string[] {
  const pay = typeof placeToPay === 'object' ? [new URL(placeToPay.url).protocol] : [];
  return onward === null ? pay : [...pay, sourceOf(new URL(onward))];
}

/**
 * A cross-origin isolated page shows only frames that agree to be isolated too. `frame-ancestors`
 * still decides.
 */
const ISOLATED = {
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'cross-origin',
};

function headersOf({
  formTargets = [],
  frameOrigins,
}: PagePolicy): Readonly<Record<string, string>> {
  const ancestors = frameOrigins?.filter((origin) => ORIGIN.test(origin)) ?? [];
  const policy = [
    "default-src 'none'",
    `style-src ${STYLE.source}`,
    `script-src ${SCRIPT.source}`,
    "connect-src 'self'",
    'img-src data:',
    `form-action ${[...new Set(["'self'", ...formTargets])].join(' ')}`,
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    `frame-ancestors ${ancestors.join(' ') || "'none'"}`,
  ].join('; ');
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex, nofollow',
    vary: 'Accept-Language',
    ...(frameOrigins && ISOLATED),
    // The header is for older browsers, which do not support frame-ancestors.
    ...(ancestors.length === 0 && { 'x-frame-options': 'DENY' }),
  };
}

/** A policy cannot name every host, for example an IPv6 address. Then it allows the scheme. */
const sourceOf = ({ origin, protocol }: URL): string => (ORIGIN.test(origin) ? origin : protocol);
