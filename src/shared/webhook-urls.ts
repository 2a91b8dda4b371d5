import type { Mode } from './caller.js';

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

export function isHttpsOrLocal(url: string): boolean {
  return /^https:/i.test(url) || LOCAL_HOSTS.includes(new URL(url).hostname);
}

/** Decides which URLs may be plain http. The rule is the same when a URL is stored and when it is called. */
export class WebhookUrls {
  constructor(private readonly allowPrivate: boolean) {}

  /** The fault of an http or https URL, as the end of a sentence, or undefined. */
  faultOf(url: string, mode: Mode): string | undefined {
    if (mode === 'live') return /^https:/i.test(url) ? undefined : 'must be an https URL in live mode';
    if (this.allowPrivate || isHttpsOrLocal(url)) return undefined;
    return 'must be an https URL, or in test mode http to localhost; with WEBHOOK_ALLOW_PRIVATE=true, http to any host';
  }
}
