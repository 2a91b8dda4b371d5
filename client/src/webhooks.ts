/** Verifies what arrives at a webhook endpoint or a `notify_url`: Standard Webhooks 1.0.0, with nothing but WebCrypto. */
import type { components } from './description.js';
import { WebhookVerificationError } from './errors.js';

export type Event = components['schemas']['Event'];
/** As a webhook endpoint of the ledger receives it: with the organization. */
export type LedgerEvent = components['schemas']['LedgerEvent'];
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Older than this, what was signed may be a recording that somebody plays back; clocks may differ by as much. */
const TOLERANCE_SECONDS = 5 * 60;
const SECRET_PREFIX = 'whsec_';
const SIGNATURE_VERSION = 'v1,';

export interface Webhook {
  /** The body byte for byte as it came, not parsed and put together again. */
  readonly body: string;
  readonly headers: WebhookHeaders;
  /** `whsec_…`; two while one takes the place of the other. */
  readonly secret: string | readonly string[];
  /** For tests: the present in Unix seconds. */
  readonly now?: number;
}

/** The event, if one of the signatures is of one of the secrets and fresh. An event may come twice: remember its `id`. */
export async function verifyWebhook<Received extends Event | LedgerEvent = Event>({
  body,
  headers,
  secret,
  now = Date.now() / 1000,
}: Webhook): Promise<Received> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = signaturesIn(headerOf(headers, 'webhook-signature'));
  if (!/^\d+$/.test(timestamp) || Math.abs(now - Number(timestamp)) > TOLERANCE_SECONDS) {
    throw new WebhookVerificationError('The webhook is not of the last five minutes.');
  }
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const each of [secret].flat()) {
    const key = await keyOf(each);
    for (const signature of signatures) {
      // Compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return JSON.parse(body) as Received;
    }
  }
  throw new WebhookVerificationError('No signature of the webhook matches.');
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError(`The header ${name} is missing.`);
}

/** Those of the version there is; a newer one stands beside it, not in its place. */
function signaturesIn(header: string): Uint8Array<ArrayBuffer>[] {
  return header
    .split(' ')
    .filter((signature) => signature.startsWith(SIGNATURE_VERSION))
    .flatMap((signature) => bytesOf(signature.slice(SIGNATURE_VERSION.length)) ?? []);
}

/** A secret that is none is the receiver's own mistake, not the sender's. */
function keyOf(secret: string) {
  const bytes = bytesOf(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret);
  if (!bytes?.length) throw new TypeError('A webhook secret is whsec_ and base64.');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
