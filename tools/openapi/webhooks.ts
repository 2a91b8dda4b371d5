import type { TagOptions, WebhookOptions } from '../../src/request/route.js';
import type { Components, Json } from './components.js';
import { examplesOf } from './operation-examples.js';

const HEADERS = [
  [
    'webhook-id',
    "The event's identifier, the same in every attempt: what was seen before can be ignored.",
  ],
  ['webhook-timestamp', 'When this attempt was made, in Unix seconds. Refuse what is old.'],
  [
    'webhook-signature',
    'One signature or more, separated by spaces, each `v1,` and the base64 of the HMAC-SHA256 of identifier, timestamp and body joined by dots. One that fits is enough.',
  ],
] as const;

export const RECEIVED = {
  Received: {
    description: 'Received. Anything else within 15 seconds, or nothing, is tried again later.',
  },
  Gone: { description: 'No more attempts are made for this event.' },
};

/**
 * The webhooks of the ledger are not shown: they differ from those of merchants by their
 * organization only.
 */
const exampleOf = (type: string) => (type.startsWith('ledger.') ? null : examplesOf(type).answer);

export function webhook(
  type: string,
  options: WebhookOptions & { tag: TagOptions },
  components: Components,
): Json {
  return {
    post: {
      operationId: type.replaceAll(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()),
      summary: type,
      description: options.description,
      tags: [options.tag.name],
      security: [],
      parameters: HEADERS.map(([name, description]) =>
        components.parameter({
          name,
          in: 'header',
          required: true,
          description,
          schema: { type: 'string' },
        }),
      ),
      requestBody: {
        required: true,
        content: { 'application/json': components.content(options.schema, exampleOf(type)) },
      },
      responses: {
        '2XX': { $ref: '#/components/responses/Received' },
        '410': { $ref: '#/components/responses/Gone' },
      },
    },
  };
}
