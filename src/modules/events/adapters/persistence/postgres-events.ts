import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../../persistence/database.js';
import { type Caller, type Ledger, MODES } from '../../../../shared/caller.js';
import { CallerClock } from '../../../../shared/clock.js';
import { createdInstant, idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import type { Page } from '../../../../shared/page.js';
import {
  type Attempt,
  type EventFilter,
  Events,
  type LedgerEventFilter,
  type OwnedEvent,
  type ResourceEvent,
  SHOWN_ATTEMPTS,
} from '../../application/ports.js';
import { EVENT_ID, type Event } from '../../domain/event.js';
import { WEBHOOK_ENDPOINT_ID } from '../../domain/webhook-endpoint.js';
import { EventRecord } from './event.record.js';
import { EventLists, pageOf } from './event-lists.js';
import { NO_ENDPOINT } from './no-endpoint.js';

const milliseconds = (column: string) => `(extract(epoch FROM ${column}) * 1000)::bigint`;

/** Deliveries to the ledger are not shown to organizations, and payment pages do not wait for them. */
const OWN_RECEIVER = "receiver NOT LIKE 'ledger %'";
/** The last attempts of each delivery. A planned attempt will not be made once its endpoint is deleted or disabled. */
const ATTEMPTS = {
  name: 'events.attempts',
  text: `SELECT nullif(endpoint_id, '${NO_ENDPOINT}') AS endpoint, attempt, ${milliseconds('attempted_at')} AS "attemptedAt",
      status_code AS "statusCode", error, duration_ms AS "durationMs",
      CASE WHEN later > 0 OR outcome IS NULL AND (endpoint_id = '${NO_ENDPOINT}' OR EXISTS (
          SELECT FROM webhook_endpoints WHERE organization_id = $1 AND mode = $2 AND id = endpoint_id AND enabled))
      THEN ${milliseconds('made.next_attempt_at')} END AS "nextAttemptAt"
    FROM webhook_deliveries AS delivery CROSS JOIN LATERAL (
      SELECT attempt, attempted_at, status_code, error, duration_ms, next_attempt_at,
        row_number() OVER (ORDER BY attempt DESC) - 1 AS later
      FROM webhook_attempts WHERE organization_id = $1 AND mode = $2 AND event_id = $3 AND endpoint_id = delivery.endpoint_id
      ORDER BY attempt DESC LIMIT ${SHOWN_ATTEMPTS}) AS made
    WHERE organization_id = $1 AND mode = $2 AND event_id = $3 AND ${OWN_RECEIVER}
    ORDER BY attempted_at, endpoint_id, attempt`,
};

const UNDELIVERED = {
  name: 'events.undelivered',
  text: `SELECT id FROM events WHERE organization_id = $1 AND mode = $2 AND object_id = $3 AND type = $4
    AND EXISTS (SELECT FROM webhook_deliveries
      WHERE organization_id = $1 AND mode = $2 AND event_id = events.id AND outcome IS NULL
        AND ${OWN_RECEIVER})`,
};

@Injectable()
export class PostgresEvents extends Events {
  constructor(
    private readonly database: Database,
    private readonly lists: EventLists,
    private readonly clock: CallerClock,
  ) {
    super();
  }

  async find(caller: Caller, id: string): Promise<Event | undefined> {
    const key = { organizationId: uuidOf(caller.organization), mode: In(MODES), id: uuidOf(id) };
    const row = await this.database.reading(caller, (manager) => manager.findOneBy(EventRecord, key));
    if (!row) return undefined;
    const { mode, type, data, reason, details } = row;
    return { id, mode, type, sequence: row.sequenceBase + row.sequence, data, reason, details };
  }

  async attemptsAt(caller: Caller, { id, mode }: Event): Promise<Attempt[]> {
    const values = [uuidOf(caller.organization), mode, uuidOf(id)];
    const attempts = await this.database.read<Attempt>(caller, ATTEMPTS, values);
    return attempts.map(({ endpoint, ...attempt }) => {
      return { endpoint: endpoint && idOf(WEBHOOK_ENDPOINT_ID, endpoint), ...attempt };
    });
  }

  async undeliveredSince(caller: Caller, { object, type }: ResourceEvent): Promise<number | undefined> {
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(object), type];
    const [row] = await this.database.read<{ id: string }>(caller, UNDELIVERED, values);
    return row && createdInstant(idOf(EVENT_ID, row.id));
  }

  async list(caller: Caller, filter: EventFilter): Promise<Page<Event>> {
    return pageOf(await this.lists.found(caller, filter, (await this.clock.at(caller)).ahead), filter);
  }

  async listOfAll(ledger: Ledger, filter: LedgerEventFilter): Promise<Page<OwnedEvent>> {
    const page = pageOf(await this.lists.foundOfAll(ledger, filter), filter);
    const items = page.items.map((row) => ({ ...row, organization: idOf(ORGANIZATION_ID, row.organization) }));
    return { ...page, items };
  }
}
