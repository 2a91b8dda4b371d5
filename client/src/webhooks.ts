/**
 * Verifies requests to a webhook endpoint or a `notify_url` (Standard Webhooks 1.0.0) with
 * WebCrypto.
 */
import type { components } from './description.js';
import { WebhookVerificationError } from './errors.js';

export type Event = components['schemas']['Event'];
/** The event as a webhook endpoint of the ledger receives it, with the organization. */
export type LedgerEvent = components['schemas']['LedgerEvent'];
type HeaderValue = string | readonly string[] | undefined;
/**
 * Headers as Node, `fetch` and gateways give them: names in any letter case, and values as text or
 * as a list.
 */
export type WebhookHeaders =
  | Headers
  | Iterable<readonly [name: string, value: HeaderValue]>
  | Readonly<Record<string, HeaderValue>>;

/** Older webhooks are refused as possible replays. Clocks may differ by as much. */
const TOLERANCE_SECONDS = 5 * 60;
const SECRET_PREFIX = 'whsec_';
const SIGNATURE_VERSION = 'v1,';

export interface Webhook {
  /** The unchanged body. Do not parse and serialize it before. */
  readonly body: string;
  readonly headers: WebhookHeaders;
  /** The secret `whsec_…`, or two secrets during a rotation. */
  readonly secret: string | readonly string[];
  /** For tests: the current time in Unix seconds. */
  readonly now?: number;
}

/**
 * Returns the event if a signature is valid and recent. An event can arrive more than once: store
 * its `id` to skip duplicates.
 */
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
      // The comparison takes the same time for every signature.
      if (await crypto.subtle.verify('HMAC', key, signature, signed))
        return JSON.parse(body) as Received;
    }
  }
  throw new WebhookVerificationError('No signature of the webhook matches.');
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const fields = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  const values = fields.flatMap(([each, value]) =>
    each.toLowerCase() === name && value ? value : [],
  );
  const [value, ...others] = new Set(values);
  if (!value) throw new WebhookVerificationError(`The header ${name} is missing.`);
  if (others.length > 0)
    throw new WebhookVerificationError(`The header ${name} has several values.`);
  return value;
}

/** The signatures of version 1. Newer versions may be sent beside them. */
function signaturesIn(header: string): Uint8Array<ArrayBuffer>[] {
  return header
    .split(' ')
    .filter((signature) => signature.startsWith(SIGNATURE_VERSION))
    .flatMap((signature) => bytesOf(signature.slice(SIGNATURE_VERSION.length)) ?? []);
}

/**
 * Throws TypeError for a malformed secret, which is the receiver's mistake and not the sender's.
 */
function keyOf(secret: string) {
  const bytes = bytesOf(
    secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret,
  );
  if (!bytes?.length) throw new TypeError('A webhook secret is whsec_ and base64.');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
