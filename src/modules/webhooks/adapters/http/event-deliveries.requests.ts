import { Id } from '../../../../request/validation/fields.js';
import { WEBHOOK_ENDPOINT_ID } from '../../domain/webhook-endpoint.js';

export class ResendEventRequest {
  @Id(WEBHOOK_ENDPOINT_ID, {
    optional: true,
    description:
      'ID of the only endpoint to send the event to, even if it does not subscribe to the ' +
      'type. Default: every endpoint that subscribes, and the `notify_url`.',
  })
  webhook_endpoint?: string | null;
}
