import { EVENT_ID } from '../../../src/modules/events/domain/event.js';
import { requireResendable } from '../../../src/modules/webhooks/application/resend-event.js';
import { MAX_RESENDABLE } from '../../../src/modules/webhooks/domain/schedule.js';
import {
  MAX_ENDPOINTS,
  newEndpoint,
  WEBHOOK_ENDPOINT_ID,
} from '../../../src/modules/webhooks/domain/webhook-endpoint.js';
import { exampleId } from '../../../src/request/schema.js';
import { CallbackUrls } from '../../../src/shared/callback-urls.js';
import type { Examples } from '../operation-examples.js';

const SENT_OFTEN = {
  endpoint: null,
  url: 'https://shop.example/webhooks',
  attempts: MAX_RESENDABLE,
};
const NEW_ENDPOINT = { url: 'https://shop.example/webhooks', events: ['*'] };
const INPUT = { ...NEW_ENDPOINT, enabled: true, description: null };
const STATE = {
  ...INPUT,
  id: exampleId(WEBHOOK_ENDPOINT_ID),
  mode: 'test',
  disabledReason: null,
  failingSince: null,
} as const;
const ALL = Array.from({ length: MAX_ENDPOINTS }, (_, at) => ({ ...STATE, place: at + 1 }));
const URLS = new CallbackUrls(false);

const CREATED = {
  body: NEW_ENDPOINT,
  refusals: [() => newEndpoint(INPUT, ALL, 'test', { now: 0, ahead: 0 }, URLS)],
};
const CHANGED = { body: { enabled: true } };

export const EXAMPLES: Examples = {
  resendEvent: { refusals: [() => requireResendable([SENT_OFTEN], exampleId(EVENT_ID))] },
  createWebhookEndpoint: CREATED,
  createLedgerWebhookEndpoint: CREATED,
  changeWebhookEndpoint: CHANGED,
  changeLedgerWebhookEndpoint: CHANGED,
};
