/** With the operator's API, the platform's own backend signs merchants up. */
import { type Filters, Resource } from './client.js';
import type { components } from './description.js';
import type { List } from './pages.js';
import { pathPart } from './sendable.js';
import { type ClientOptions, type ReadOptions, Transport, type WriteOptions } from './transport.js';

type Schemas = components['schemas'];

const PATH = '/operator/v1/organizations';
const EVENTS = '/operator/v1/events';

class Organizations extends Resource {
  /** The call is safe to repeat with the same `reference`, your own ID of the organization. */
  create(
    body: Schemas['CreateOrganizationRequest'],
    options?: WriteOptions,
  ): Promise<Schemas['Organization']> {
    return this.transport.post(PATH, body, options);
  }

  retrieve(id: string, options?: ReadOptions): Promise<Schemas['Organization']> {
    return this.read(PATH, id, options);
  }

  list(
    filters: Filters<'listOrganizations'> = {},
    options?: ReadOptions,
  ): List<Schemas['Organization']> {
    return this.listOf(PATH, filters, options);
  }

  /** Changes only the given fields. */
  change(
    id: string,
    change: Schemas['ChangeOrganizationRequest'],
    options?: WriteOptions,
  ): Promise<Schemas['Organization']> {
    return this.update(PATH, id, change, options);
  }

  /**
   * Creates a new secret for webhooks to a `notify_url`. The previous one also signs for
   * `overlap_seconds`, by default a day.
   */
  rotateWebhookSecret(
    id: string,
    body: Schemas['RotateWebhookSecretRequest'] = {},
    options?: WriteOptions,
  ): Promise<Schemas['WebhookSecret']> {
    return this.act(PATH, id, 'webhook_secret/rotate', options, body);
  }
}

class ApiKeys extends Resource {
  /** The key is only in the responses to this call and to `rotate`. */
  create(
    organization: string,
    body: Schemas['CreateApiKeyRequest'],
    options?: WriteOptions,
  ): Promise<Schemas['ApiKeyWithKey']> {
    return this.act(PATH, organization, 'api_keys', options, body);
  }

  list(
    organization: string,
    filters: Filters<'listApiKeys'> = {},
    options?: ReadOptions,
  ): List<Schemas['ApiKey']> {
    return this.listOf(`${PATH}/${pathPart(organization)}/api_keys`, filters, options);
  }

  revoke(id: string, options?: WriteOptions): Promise<Schemas['ApiKey']> {
    return this.act('/operator/v1/api_keys', id, 'revoke', options);
  }

  /** The old key still works for `overlap_seconds`, by default seven days. */
  rotate(
    id: string,
    body: Schemas['RotateApiKeyRequest'] = {},
    options?: WriteOptions,
  ): Promise<Schemas['ApiKeyWithKey']> {
    return this.act('/operator/v1/api_keys', id, 'rotate', options, body);
  }
}

/**
 * These are the changes of organizations, keys, webhook secrets and endpoints, and who made them.
 */
class OperatorEvents extends Resource {
  retrieve(id: string, options?: ReadOptions): Promise<Schemas['OperatorEvent']> {
    return this.read(EVENTS, id, options);
  }

  /** With `order: 'asc'`, a reader that goes on from the last cursor misses nothing. */
  list(
    filters: Filters<'listOperatorEvents'> = {},
    options?: ReadOptions,
  ): List<Schemas['OperatorEvent']> {
    return this.listOf(EVENTS, filters, options);
  }
}

/**
 * Works with an operator key, `ok_…`, which belongs on a server of the platform and nowhere else.
 */
export class TillgateOperator {
  readonly organizations: Organizations;
  readonly apiKeys: ApiKeys;
  readonly events: OperatorEvents;

  constructor(options: ClientOptions) {
    const transport = new Transport(options);
    this.organizations = new Organizations(transport);
    this.apiKeys = new ApiKeys(transport);
    this.events = new OperatorEvents(transport);
  }
}
