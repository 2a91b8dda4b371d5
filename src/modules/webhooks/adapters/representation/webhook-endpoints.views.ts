import { ALL_EVENTS } from '../../../../platform/module-declaration.js';
import { listOf } from '../../../../request/response.js';
import {
  constant,
  type FieldsOf,
  flag,
  id,
  list,
  MODE,
  nullable,
  object,
  ofDeclarations,
  oneOf,
  text,
  timestamp,
  type ValueOf,
  withOrganization,
} from '../../../../request/schema.js';
import { createdAt, ORGANIZATION_ID } from '../../../../shared/id.js';
import type { WithSecret } from '../../application/manage-webhook-endpoints.js';
import { WEBHOOK_ENDPOINT_ID, type WebhookEndpoint } from '../../domain/webhook-endpoint.js';

const HEAD = {
  id: id(WEBHOOK_ENDPOINT_ID, 'ID of the webhook endpoint.'),
  object: constant('webhook_endpoint', 'Object type.'),
};
const ORGANIZATION = nullable(
  id(ORGANIZATION_ID, 'Always null: the endpoint belongs to no organization.'),
);
const FIELDS = {
  mode: MODE,
  url: text('URL to which the events are sent.', {
    format: 'iri',
    examples: ['https://shop.example/webhooks'],
  }),
  events: list(
    ofDeclarations(({ eventTypes }) => oneOf([ALL_EVENTS, ...eventTypes], 'Event type, or `*`.')),
    'Event types that are sent, or only `*` for all types.',
  ),
  enabled: { ...flag('Whether events are sent.'), examples: [true] },
  description: nullable(text('Description of the endpoint.')),
  created: timestamp('Time of creation, in Unix seconds.'),
  disabled_reason: nullable(text('Why Tillgate disabled the endpoint; null if it did not.')),
} satisfies FieldsOf<WebhookEndpoint, 'id' | 'place' | 'failingSince'>;
const SECRET = {
  secret: text('Secret that signs the webhooks (Standard Webhooks). Returned only here.', {
    pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
    examples: [`whsec_${'A'.repeat(43)}=`],
  }),
};
const DELETED = { deleted: { ...flag('Always true.'), const: true } };

function schemas(
  prefix: string,
  receives: string,
  owned = <Of extends typeof HEAD>(fields: Of) => fields,
) {
  const name = `${prefix}WebhookEndpoint`;
  const endpoint = object(owned({ ...HEAD, ...FIELDS }), {
    name,
    description: `A URL to which ${receives} sent.`,
  });
  const description = 'A webhook endpoint with its new secret.';
  return {
    endpoint,
    list: listOf(`${name}List`, endpoint),
    withSecret: object(owned({ ...HEAD, ...FIELDS, ...SECRET }), {
      name: `${name}WithSecret`,
      description,
    }),
    deleted: object(owned({ ...HEAD, ...DELETED }), {
      name: `Deleted${name}`,
      description: 'A deleted webhook endpoint.',
    }),
  };
}

export const ENDPOINT = schemas('', 'events are');
export const LEDGER_ENDPOINT = schemas('Ledger', 'the events of all organizations are', (fields) =>
  withOrganization(ORGANIZATION, fields),
);

export function webhookEndpointView(endpoint: WebhookEndpoint): ValueOf<typeof ENDPOINT.endpoint> {
  const { id, mode, url, events, enabled, description, disabledReason: disabled_reason } = endpoint;
  const shown = {
    mode,
    url,
    events,
    enabled,
    description,
    created: createdAt(id),
    disabled_reason,
  };
  return { id, object: 'webhook_endpoint', ...shown };
}

export function webhookEndpointJson(endpoint: WebhookEndpoint): string {
  return JSON.stringify(webhookEndpointView(endpoint));
}

export function withSecretView({
  endpoint,
  secret,
}: WithSecret): ValueOf<typeof ENDPOINT.withSecret> {
  return { ...webhookEndpointView(endpoint), secret };
}

export function deletedView({ id }: WebhookEndpoint): ValueOf<typeof ENDPOINT.deleted> {
  return { id, object: 'webhook_endpoint', deleted: true };
}
