import type { Mode } from './caller.js';
import { isHttpsOrLocal, isHttpUrl } from './web-url.js';

const LONGEST_HOST_NAME = 253;

/**
 * Tells whether the service can call a URL. The mode and a setting decide whether it may be http.
 */
export function isCallbackUrl(text: string): boolean {
  if (!isHttpUrl(text)) return false;
  const { hostname, port } = new URL(text);
  return isCallbackPort(port) && hostname.length <= LONGEST_HOST_NAME;
}

/**
 * Tells whether the service may call the `port` of a URL, which is '' for the scheme's default.
 * Other ports below 1024 belong to other protocols.
 */
export function isCallbackPort(port: string): boolean {
  return port === '' || port === '80' || port === '443' || Number(port) >= 1024;
}

/**
 * Decides which URLs may be plain http. The rule is the same when a URL is stored and when it is
 * called.
 */
export class CallbackUrls {
  constructor(
    private readonly allowPrivate: boolean,
    readonly allowLoopback = false,
  ) {}

  /** Returns the fault of an http or https URL as the end of a sentence, or undefined. */
  faultOf(url: string, mode: Mode): string | undefined {
    if (mode === 'live')
      return /^https:/i.test(url) ? undefined : 'must be an https URL in live mode';
    if (this.allowPrivate || isHttpsOrLocal(url)) return undefined;
    return (
      'must be an https URL, or in test mode http to localhost; with ' +
      'WEBHOOK_ALLOW_PRIVATE=true, http to any host'
    );
  }
}
