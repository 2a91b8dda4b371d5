import { HttpResponse } from '../../../../platform/http/response.js';
import type { CheckoutPage } from '../../domain/checkout-page.js';
import { SCRIPT, STYLE } from '../representation/assets.js';

/** Origins that are safe in a policy: they cannot end a directive and begin another. */
const ORIGIN = /^https?:\/\/[a-z0-9.-]+(?::\d+)?$/;

interface PagePolicy {
  /** URLs to which forms of the page may lead, also by redirects. */
  readonly leadsTo?: readonly (string | null)[];
  /** Origins whose pages may show this one in a frame. Default: none. */
  readonly framers?: readonly string[] | undefined;
}

export function pageResponse(status: number, body: string, policy: PagePolicy = {}): HttpResponse {
  return new HttpResponse({ status, body }).with(headersOf(policy));
}

/** Adds the headers of a page to a 303, after which the browser sends a GET. */
export function seeOther<Response extends HttpResponse>(response: Response): Response {
  return response.with(headersOf({}));
}

/** The URLs to which the forms of this page may lead. */
export function leadsTo({ placeToPay, onward }: CheckoutPage): readonly (string | null)[] {
  return [typeof placeToPay === 'object' ? placeToPay.url : null, onward];
}

function headersOf({ leadsTo = [], framers = [] }: PagePolicy): Readonly<Record<string, string>> {
  const forms = [...new Set(leadsTo.map(originOf))].filter((origin) => ORIGIN.test(origin));
  const ancestors = framers.filter((origin) => ORIGIN.test(origin));
  const policy = [
    "default-src 'none'",
    `style-src ${STYLE.source}`,
    `script-src ${SCRIPT.source}`,
    "connect-src 'self'",
    'img-src data:',
    `form-action ${["'self'", ...forms].join(' ')}`,
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
    // For older browsers, which do not support frame-ancestors.
    ...(ancestors.length === 0 && { 'x-frame-options': 'DENY' }),
  };
}

const originOf = (url: string | null): string => (url !== null && URL.canParse(url) ? new URL(url).origin : '');
