import { listOf } from '../../../../request/response.js';
import {
  constant,
  describedEnum,
  id,
  nullable,
  ORGANIZATION,
  object,
  oneOf,
  type Schema,
  text,
  timestamp,
  type ValueOf,
} from '../../../../request/schema.js';
import { createdAt } from '../../../../shared/id.js';
import { AUTHOR_WAYS } from '../../../../shared/unit.js';
import { API_KEY_ID } from '../../domain/api-key.js';
import {
  type Changes,
  OPERATOR_EVENT_ID,
  OPERATOR_EVENT_TYPES,
  type OperatorEvent,
  type OperatorEventType,
} from '../../domain/operator-event.js';

const CHANGES: Schema<Changes> = {
  type: 'object',
  description: 'The value of each changed member before and after the change.',
  additionalProperties: { type: 'array', items: {}, minItems: 2, maxItems: 2 },
};

export const OPERATOR_EVENT = object(
  {
    id: id(OPERATOR_EVENT_ID, 'ID of the event.'),
    object: constant('operator.event', 'Object type.'),
    type: describedEnum<OperatorEventType>(OPERATOR_EVENT_TYPES, 'What happened.'),
    organization: nullable(ORGANIZATION),
    resource: text('ID of what was changed.', { examples: ['key_01kaf3v7q4e8yt5w6z9x2c1b0n'] }),
    by: object(
      {
        via: oneOf(AUTHOR_WAYS, 'How the change was asked for.'),
        key: nullable(id(API_KEY_ID, 'ID of the key; null for a command.')),
        holder: text('Who holds the key, or the user of the machine who ran the command.', {
          examples: ['Sign-up'],
        }),
      },
      { description: 'Who asked for the change.' },
    ),
    changes: CHANGES,
    created: timestamp('Time of the change, in Unix seconds.'),
  },
  {
    name: 'OperatorEvent',
    description:
      'A change of an organization, a key, a webhook secret or endpoint, or a redaction. It is ' +
      'kept for ever, and has no secret, no address and no text of a customer.',
  },
);

export const OPERATOR_EVENT_LIST = listOf('OperatorEventList', OPERATOR_EVENT);

export function operatorEventView(event: OperatorEvent): ValueOf<typeof OPERATOR_EVENT> {
  const { id, type, organization, resource, by, changes } = event;
  const what = { id, object: 'operator.event', type, organization, resource } as const;
  return { ...what, by, changes, created: createdAt(id) };
}
