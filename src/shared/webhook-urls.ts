import type { Mode } from './caller.js';

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** Takes an http or https URL: whether it is https, or leads to this machine. */
export function isHttpsOrLocal(url: string): boolean {
  return /^https:/i.test(url) || LOCAL_HOSTS.includes(new URL(url).hostname);
}

/** Which URLs may be plain http: the same when one is given as when it is called. */
export class WebhookUrls {
  constructor(private readonly allowPrivate: boolean) {}

  /** What is wrong with an http or https URL, as the end of a sentence; undefined if nothing is. */
  faultOf(url: string, mode: Mode): string | undefined {
    if (mode === 'live') return /^https:/i.test(url) ? undefined : 'must be an https URL in live mode';
    if (this.allowPrivate || isHttpsOrLocal(url)) return undefined;
    return 'must be an https URL, or in test mode http to localhost; with WEBHOOK_ALLOW_PRIVATE=true, http to any host';
  }
}
