/**
 * Starts a service whose time and network a test controls, and has what tests do with its webhooks.
 */

import { expect } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Network } from '../../src/modules/webhooks/adapters/delivery/http-receivers.js';
import { WebhookScheduler } from '../../src/modules/webhooks/application/webhook-scheduler.js';
import { type Service, type ServiceOptions, startService } from '../kit/service.js';
import { TestClock } from './clock.js';
import type { Received } from './receiver.js';

/**
 * An attempt has this time in a test that waits for its end. In other tests, it has more time than
 * a busy machine takes.
 */
export const TIMEOUT_MS = 1_500;
export const PATIENT_MS = 60_000;

export type Webhooks = Awaited<ReturnType<typeof startWebhooks>>;

export async function startWebhooks(options: ServiceOptions = {}) {
  const clock = new TestClock();
  const network: { -readonly [Key in keyof Network]: Network[Key] } = {
    timeoutMs: PATIENT_MS,
    resolve: async (_name, signal) => {
      signal.throwIfAborted();
      return [{ address: '127.0.0.1', family: 4 }];
    },
  };
  const service = await startService({
    clock,
    overrides: [[Network, network]],
    ...options,
    config: { webhookAllowPrivate: true, ...options.config },
  });
  return { service, clock, network };
}

/** Delivers everything that is due. */
export async function deliver({ application }: Service): Promise<void> {
  const scheduler = application.get(WebhookScheduler);
  await scheduler.poll();
  await scheduler.idle();
}

/**
 * The signature is verified at its own time, because the library compares it with the real clock.
 */
export function isSignedBy(secret: string, { headers, text, id }: Received): boolean {
  const sent = new Date(Number(headers['webhook-timestamp']) * 1000);
  return (
    headers['webhook-signature']?.split(' ').includes(new Webhook(secret).sign(id, sent, text)) ??
    false
  );
}

/** Returns an attempt as an event shows it. */
export function attempt(
  number: number,
  statusCode: number | null,
  error: unknown,
  isLast: boolean,
  endpoint: string | null = null,
) {
  return {
    webhook_endpoint: endpoint,
    attempt: number,
    attempted_at: expect.any(Number),
    status_code: statusCode,
    error,
    duration_ms: expect.any(Number),
    next_attempt_at: isLast ? null : expect.any(Number),
  };
}
