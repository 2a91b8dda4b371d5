import { exampleId } from '../../../../platform/http/schema.js';
import { WebhookUrls } from '../../../../shared/webhook-urls.js';
import { MAX_ENDPOINTS, WEBHOOK_ENDPOINT_ID, WebhookEndpoint } from '../../domain/webhook-endpoint.js';

export const NEW_ENDPOINT = { url: 'https://shop.example/webhooks', events: ['*'] };
const INPUT = { ...NEW_ENDPOINT, enabled: true, description: null };
const STATE = { ...INPUT, id: exampleId(WEBHOOK_ENDPOINT_ID), mode: 'test', disabledReason: null } as const;
const ALL = Array.from({ length: MAX_ENDPOINTS }, (_, at) => WebhookEndpoint.restore({ ...STATE, place: at + 1 }));

const URLS = new WebhookUrls(false);

export const REFUSED_ENDPOINTS = [() => WebhookEndpoint.create(INPUT, ALL, 'test', { now: 0, ahead: 0 }, URLS)];
