import { Webhook } from 'standardwebhooks';
import type { Message } from '../../application/ports.js';

/** Standard Webhooks 1.0.0: a signature for each secret, so that a receiver with either one can verify it. */
export function headersOf({ event, secrets, at }: Message, payload: string): Record<string, string> {
  const sent = new Date(at);
  return {
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(event.id, sent, payload)).join(' '),
  };
}
