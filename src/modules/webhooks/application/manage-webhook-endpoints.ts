import { Injectable } from '@nestjs/common';
import { CallbackUrls } from '../../../shared/callback-urls.js';
import { NO_ORGANIZATION } from '../../../shared/id.js';
import type { Unit } from '../../../shared/unit.js';
import { changesBetween, newWebhookSecret, Trail } from '../../access/index.js';
import {
  changedEndpoint,
  type NewWebhookEndpoint,
  newEndpoint,
  type WantedEndpoint,
  type WebhookEndpoint,
} from '../domain/webhook-endpoint.js';
import { WebhookEndpoints } from './ports.js';

export interface WithSecret {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

interface Change {
  readonly before?: WebhookEndpoint;
  readonly after?: WebhookEndpoint;
}

/** The query of a URL may have a secret of the receiver, and the trail is kept for ever. */
const SHOWN = {
  url: (url: string) => {
    const [shown = ''] = url.split(/[?#]/, 1);
    return shown === url ? url : `${shown}?…`;
  },
};

/**
 * Each method but the first refuses with not_found. A URL that CallbackUrls does not allow is
 * refused with invalid_param.
 */
@Injectable()
export class ManageWebhookEndpoints {
  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly urls: CallbackUrls,
    private readonly trail: Trail,
  ) {}

  /** Creates an endpoint. Refuses with webhook_endpoint_limit. */
  async create(unit: Unit, input: NewWebhookEndpoint): Promise<WithSecret> {
    const endpoint = newEndpoint(input, await this.endpoints.all(unit), unit.mode, unit, this.urls);
    const secret = newWebhookSecret();
    this.endpoints.add(unit, endpoint, secret);
    this.recordChange(unit, 'created', { after: endpoint });
    return { endpoint, secret };
  }

  async change(unit: Unit, id: string, change: WantedEndpoint): Promise<WebhookEndpoint> {
    const before = await this.endpoints.lock(unit, id);
    const endpoint = changedEndpoint(before, change, this.urls);
    this.endpoints.change(unit, endpoint);
    this.recordChange(unit, 'updated', { before, after: endpoint });
    return endpoint;
  }

  /** Deletes an endpoint. Its unfinished deliveries are canceled when they are next due. */
  async delete(unit: Unit, id: string): Promise<WebhookEndpoint> {
    const endpoint = await this.endpoints.lock(unit, id);
    this.endpoints.remove(unit, id);
    this.recordChange(unit, 'deleted', { before: endpoint });
    return endpoint;
  }

  /**
   * Issues a new secret. The previous secret also signs for the overlap; an older one stops at
   * once.
   */
  async rotateSecret(unit: Unit, id: string, overlapSeconds: number): Promise<WithSecret> {
    const endpoint = await this.endpoints.lock(unit, id);
    const secret = newWebhookSecret();
    this.endpoints.rotateSecret(unit, id, secret, unit.now + overlapSeconds * 1000);
    const rotation = { type: 'webhook_secret.rotated', resource: id, changes: {} } as const;
    this.trail.record(unit, { ...rotation, organization: ownerOf(unit) });
    return { endpoint, secret };
  }

  private recordChange(unit: Unit, how: 'created' | 'updated' | 'deleted', change: Change): void {
    const { before, after } = change;
    const changes = changesBetween(membersOf(before), membersOf(after), SHOWN);
    if (Object.keys(changes).length === 0) return;
    const resource = (after ?? before)?.id as string;
    const type = `webhook_endpoint.${how}` as const;
    this.trail.record(unit, { type, organization: ownerOf(unit), resource, changes });
  }
}

/** The ledger's own endpoints belong to no organization. */
const ownerOf = ({ organization }: Unit) =>
  organization === NO_ORGANIZATION ? null : organization;

function membersOf(endpoint: WebhookEndpoint | undefined) {
  if (endpoint === undefined) return {};
  const { mode, url, events, enabled, description } = endpoint;
  return { mode, url, events, enabled, description };
}
