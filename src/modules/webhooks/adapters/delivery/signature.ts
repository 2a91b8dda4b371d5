import { createHmac, createSecretKey } from 'node:crypto';
import type { Message } from '../../application/receivers.js';

const PREFIX = 'whsec_';

/**
 * Signs a message by Standard Webhooks 1.0.0: it has a signature for each secret, so that a
 * receiver with either one can verify it.
 */
export function headersOf(
  { event, secrets, at }: Message,
  payload: string,
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const signed = `${event.id}.${timestamp}.${payload}`;
  return {
    'webhook-id': event.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${signatureOf(secret, signed)}`).join(' '),
  };
}

function signatureOf(secret: string, signed: string): string {
  const key = createSecretKey(secret.slice(PREFIX.length), 'base64');
  return createHmac('sha256', key).update(signed).digest('base64');
}
