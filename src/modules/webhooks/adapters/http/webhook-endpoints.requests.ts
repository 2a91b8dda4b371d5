import { ALL_EVENTS } from '../../../../platform/module-declaration.js';
import {
  Flag,
  Id,
  Integer,
  Text,
  WantedEvents,
  WebhookUrl,
} from '../../../../request/validation/fields.js';
import { CURSOR, PageLimit } from '../../../../request/validation/list.query.js';
import { WEBHOOK_ENDPOINT_ID } from '../../domain/webhook-endpoint.js';

const URL =
  'URL to which the events are sent, with `https`. In test mode also with `http` to localhost, ' +
  'or to any host if the operator allows it.';
const EVENTS = 'Event types to send, or only `*` for all types.';
const DESCRIPTION = 'Description of the endpoint.';
const DEFAULT_OVERLAP = 86_400;
const MAX_OVERLAP = 604_800;

export class CreateWebhookEndpointRequest {
  @WebhookUrl({ description: URL }) url!: string;
  @WantedEvents({ optional: true, default: [ALL_EVENTS], description: EVENTS }) events?: string[];
  @Flag({ optional: true, default: true, description: 'Whether events are sent.' })
  enabled?: boolean;
  @Text({ max: 1000, optional: true, description: DESCRIPTION }) description?: string | null;
}

export class ChangeWebhookEndpointRequest {
  @WebhookUrl({ optional: true, nullable: false, description: URL }) url?: string;
  @WantedEvents({ optional: true, description: EVENTS }) events?: string[];
  @Flag({
    optional: true,
    description:
      'Whether events are sent. With `false`, unfinished deliveries are canceled when they are ' +
      'next due.',
  })
  enabled?: boolean;
  @Text({ max: 1000, optional: true, description: DESCRIPTION }) description?: string | null;
}

export class RotateEndpointSecretRequest {
  @Integer({
    min: 0,
    max: MAX_OVERLAP,
    optional: true,
    default: DEFAULT_OVERLAP,
    description: 'How long webhooks are also signed with the previous secret, in seconds.',
  })
  overlap_seconds?: number;
}

/** Returns the overlap in seconds. */
export function toOverlap({ overlap_seconds: overlap }: RotateEndpointSecretRequest): number {
  return overlap ?? DEFAULT_OVERLAP;
}

export class ListWebhookEndpointsQuery {
  @PageLimit() limit?: string;
  @Id(WEBHOOK_ENDPOINT_ID, CURSOR) cursor?: string;
}
