import { Webhook } from 'standardwebhooks';
import { createdAt } from '../../../../shared/id.js';
import type { Message } from '../../application/ports.js';
import type { Event } from '../../domain/event.js';

/** The event as GET /v1/events shows it. Built around the stored text, so that every attempt sends the same bytes. */
export function payloadOf({ id, type, mode, sequence, data }: Event): string {
  const head = JSON.stringify({ id, object: 'event', type, mode, created: createdAt(id), sequence });
  return `${head.slice(0, -1)},"data":{"object":${data}}}`;
}

/** Standard Webhooks 1.0.0: a signature for each secret, so that a receiver with either one can verify it. */
export function headersOf({ event, secrets, at }: Message, payload: string): Record<string, string> {
  const sent = new Date(at);
  return {
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(event.id, sent, payload)).join(' '),
  };
}
