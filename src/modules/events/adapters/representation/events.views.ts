import type { Declarations } from '../../../../platform/module-declaration.js';
import { listOf } from '../../../../request/response.js';
import type { WebhookOptions } from '../../../../request/route.js';
import {
  components,
  constant,
  describedEnum,
  id,
  integer,
  MODE,
  NAME,
  nullable,
  object,
  ofDeclarations,
  type Schema,
  text,
  timestamp,
  type ValueOf,
  withOrganization,
} from '../../../../request/schema.js';
import { createdAt, ORGANIZATION_ID, recordedAt } from '../../../../shared/id.js';
import { EVENT_ID, type Event } from '../../domain/event.js';

export const EVENTS_TAG = [
  'Events',
  'An event describes a change of a resource. It is also sent to webhook endpoints and to the ' +
    '`notify_url` that belongs to the resource.',
] as const;

export const EVENT_FIELDS = {
  id: id(EVENT_ID, 'ID of the event, and the `webhook-id` of its webhooks.'),
  object: constant('event', 'Object type.'),
  type: ofDeclarations<string>(({ resourcesWithEvents }) => ({
    [NAME]: 'EventType',
    ...describedEnum(
      Object.assign({}, ...resourcesWithEvents.map(({ events }) => events)),
      'Type of the event.',
    ),
    examples: Object.keys(resourcesWithEvents.at(-1)?.events ?? {}).slice(0, 1),
  })),
  mode: MODE,
  created: timestamp('Time of the event, in Unix seconds.'),
  sequence: integer('Number of the event among those of its resource: 1, 2, 3 and so on.', {
    minimum: 1,
    examples: [1],
  }),
  data: ofDeclarations(dataSchema),
};

/** The details are not required: only some resources have them. */
function dataSchema({ resourcesWithEvents }: Declarations): Schema {
  const data = object({
    object: components(...resourcesWithEvents.map(({ schema }) => schema)),
    reason: nullable(
      text('Why the object failed, or what it waits for, if a reason was given; otherwise null.'),
    ),
  });
  const details = Object.assign({}, ...resourcesWithEvents.map(({ details }) => details));
  return {
    [NAME]: 'EventData',
    ...data,
    properties: { ...(data.properties as object), ...details },
  };
}

const EVENT = object(EVENT_FIELDS, {
  name: 'Event',
  description: 'A change of a resource. `data.object` is the resource right after the change.',
});

const ORGANIZATION = nullable(id(ORGANIZATION_ID, 'Owning organization; null for `webhook.test`.'));
const LEDGER_EVENT = object(withOrganization(ORGANIZATION, EVENT_FIELDS), {
  name: 'LedgerEvent',
  description: 'A change of a resource, with the organization that owns it.',
});

type Described = (declarations: Declarations) => Readonly<Record<string, WebhookOptions>>;

const webhooksOf = (event: typeof EVENT | typeof LEDGER_EVENT, prefix: string): Described => {
  return ({ resourcesWithEvents }) => {
    const described = resourcesWithEvents.flatMap(({ events = {}, schema }) =>
      Object.entries(events).map(([type, description]) => {
        const data = { properties: { object: components(schema) } };
        const only = { properties: { type: { const: type }, data } };
        return [prefix + type, { description, schema: { allOf: [event, only] } }] as const;
      }),
    );
    return Object.fromEntries(described);
  };
};

export const eventWebhooks = webhooksOf(EVENT, '');
export const ledgerEventWebhooks = webhooksOf(LEDGER_EVENT, 'ledger.');

export const EVENT_LIST = listOf('EventList', EVENT);
export const LEDGER_EVENT_LIST = listOf('LedgerEventList', LEDGER_EVENT);

/**
 * Renders an event as JSON. The stored `data` is inserted as it is, so every webhook sends the same
 * bytes. `organization` is given for the ledger only, for which an event has its real time.
 */
export function eventJson(event: Event, organization?: string | null): string {
  const { id, type, mode, sequence, data, reason, details } = event;
  const head: Omit<ValueOf<typeof EVENT>, 'data'> = {
    id,
    object: 'event',
    ...(organization !== undefined && { organization }),
    type,
    mode,
    created: organization === undefined ? createdAt(id) : recordedAt(id),
    sequence,
  };
  const more = details ? `,${details.slice(1, -1)}` : '';
  return (
    `${JSON.stringify(head).slice(0, -1)},"data":{"object":${data},` +
    `"reason":${JSON.stringify(reason)}${more}}}`
  );
}
