import { facts } from '../../../../platform/facts.js';
import { listOf } from '../../../../platform/http/list.view.js';
import {
  constant,
  type FieldsOf,
  flag,
  id,
  list,
  MODE,
  nullable,
  object,
  oneOf,
  text,
  timestamp,
  type ValueOf,
} from '../../../../platform/http/schema.js';
import { createdAt, ORGANIZATION_ID } from '../../../../shared/id.js';
import type { WithSecret } from '../../application/create-webhook-endpoint.js';
import { WEBHOOK_ENDPOINT_ID, type WebhookEndpoint, type WebhookEndpointState } from '../../domain/webhook-endpoint.js';

const HEAD = {
  id: id(WEBHOOK_ENDPOINT_ID, 'ID of the webhook endpoint.'),
  object: constant('webhook_endpoint', 'Object type.'),
};
const LEDGER_FIELDS = {
  organization: nullable(id(ORGANIZATION_ID, 'Always null: the endpoint belongs to no organization.')),
};
const FIELDS = {
  mode: MODE,
  url: text('URL to which the events are sent.', { format: 'iri', examples: ['https://shop.example/webhooks'] }),
  events: list(
    oneOf(facts.wantedEvents, 'Event type, or `*`.'),
    'Event types that are sent, or only `*` for all types.',
  ),
  enabled: { ...flag('Whether events are sent.'), examples: [true] },
  description: nullable(text('Description of the endpoint.')),
  created: timestamp('Time of creation, in Unix seconds.'),
  disabled_reason: nullable(text('Why Tillgate disabled the endpoint; null if it did not.')),
} satisfies FieldsOf<WebhookEndpointState, 'id' | 'place'>;
const SECRET = {
  secret: text('Secret that signs the webhooks (Standard Webhooks). Returned only here.', {
    pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
    examples: [`whsec_${'A'.repeat(43)}=`],
  }),
};
const DELETED = { deleted: { ...flag('Always true.'), const: true } };

export const WEBHOOK_ENDPOINT = object(
  { ...HEAD, ...FIELDS },
  { name: 'WebhookEndpoint', description: 'A URL to which events are sent.' },
);
export const WEBHOOK_ENDPOINT_LIST = listOf('WebhookEndpointList', WEBHOOK_ENDPOINT);
export const WEBHOOK_ENDPOINT_WITH_SECRET = object(
  { ...HEAD, ...FIELDS, ...SECRET },
  { name: 'WebhookEndpointWithSecret', description: 'A webhook endpoint with its new secret.' },
);
export const DELETED_WEBHOOK_ENDPOINT = object(
  { ...HEAD, ...DELETED },
  { name: 'DeletedWebhookEndpoint', description: 'A deleted webhook endpoint.' },
);

export const LEDGER_WEBHOOK_ENDPOINT = object(
  { ...HEAD, ...LEDGER_FIELDS, ...FIELDS },
  { name: 'LedgerWebhookEndpoint', description: 'A URL to which the events of all organizations are sent.' },
);
export const LEDGER_WEBHOOK_ENDPOINT_LIST = listOf('LedgerWebhookEndpointList', LEDGER_WEBHOOK_ENDPOINT);
export const LEDGER_WEBHOOK_ENDPOINT_WITH_SECRET = object(
  { ...HEAD, ...LEDGER_FIELDS, ...FIELDS, ...SECRET },
  { name: 'LedgerWebhookEndpointWithSecret', description: 'A webhook endpoint with its new secret.' },
);
export const DELETED_LEDGER_WEBHOOK_ENDPOINT = object(
  { ...HEAD, ...LEDGER_FIELDS, ...DELETED },
  { name: 'DeletedLedgerWebhookEndpoint', description: 'A deleted webhook endpoint.' },
);

const headOf = ({ state }: WebhookEndpoint) => ({ id: state.id, object: 'webhook_endpoint' }) as const;

function fieldsOf({ state }: WebhookEndpoint) {
  return {
    mode: state.mode,
    url: state.url,
    events: state.events,
    enabled: state.enabled,
    description: state.description,
    created: createdAt(state.id),
    disabled_reason: state.disabledReason,
  };
}

export function webhookEndpointView(endpoint: WebhookEndpoint): ValueOf<typeof WEBHOOK_ENDPOINT> {
  return { ...headOf(endpoint), ...fieldsOf(endpoint) };
}

export function withSecretView({ endpoint, secret }: WithSecret): ValueOf<typeof WEBHOOK_ENDPOINT_WITH_SECRET> {
  return { ...webhookEndpointView(endpoint), secret };
}

export function deletedView(endpoint: WebhookEndpoint): ValueOf<typeof DELETED_WEBHOOK_ENDPOINT> {
  return { ...headOf(endpoint), deleted: true };
}

export function ledgerWebhookEndpointView(endpoint: WebhookEndpoint): ValueOf<typeof LEDGER_WEBHOOK_ENDPOINT> {
  return { ...headOf(endpoint), organization: null, ...fieldsOf(endpoint) };
}

export function ledgerWithSecretView({
  endpoint,
  secret,
}: WithSecret): ValueOf<typeof LEDGER_WEBHOOK_ENDPOINT_WITH_SECRET> {
  return { ...ledgerWebhookEndpointView(endpoint), secret };
}

export function deletedLedgerView(endpoint: WebhookEndpoint): ValueOf<typeof DELETED_LEDGER_WEBHOOK_ENDPOINT> {
  return { ...headOf(endpoint), organization: null, deleted: true };
}
