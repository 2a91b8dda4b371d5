import { Injectable } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import { FeedFloor, floorOf, LAST_POSITION } from '../../../../persistence/feed-floor.js';
import { Clock } from '../../../../shared/clock.js';
import { notFound } from '../../../../shared/errors.js';
import { createdRange, idOf, newId, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { type Page, pageOf } from '../../../../shared/page.js';
import type { Work } from '../../../../shared/unit.js';
import { type OperatorEventFilter, Trail } from '../../application/ports.js';
import {
  type Changes,
  type NewOperatorEvent,
  OPERATOR_EVENT_ID,
  type OperatorEvent,
} from '../../domain/operator-event.js';
import { OperatorEventRecord } from './operator-event.record.js';

/** All readers share one queue, because operators read the events of all organizations. */
const READERS = { queue: 'operator events' };

const FLOOR = floorOf('access.trail_floor', 'operator_events');

const PLACES = {
  asc: '(SELECT position FROM operator_events WHERE id <= :cursor ORDER BY id DESC LIMIT 1)',
  desc: '(SELECT position FROM operator_events WHERE id >= :cursor ORDER BY id LIMIT 1)',
};
/** On Citus all positions are 0, and the IDs have the order. */
const FOLLOWS = {
  asc: `(position, id) > (coalesce(${PLACES.asc}, 0), :cursor)`,
  desc: `(position, id) < (coalesce(${PLACES.desc}, ${LAST_POSITION}), :cursor)`,
};

/**
 * The CASE keeps the planner from the index of IDs: it would read all events of that time, and sort
 * them by their positions.
 */
const IN_TIME = `CASE WHEN position <= :last THEN event.id >= :first AND event.id < :end
  ELSE false END`;

/** An event may be inserted so much later than its ID says, because clocks differ. */
const MARGIN_MS = 60_000;
/**
 * These limit the positions, so that a list of one time does not read what came after or before.
 * The limits are the nearest events outside of that time, because events of one moment may have
 * their IDs in another order than their positions.
 */
const FROM = `(position, event.id) > (coalesce((SELECT position FROM operator_events
  WHERE id < :from ORDER BY id DESC LIMIT 1), 0), :from)`;
const TO = `(position, event.id) < (coalesce((SELECT position FROM operator_events
  WHERE id >= :to ORDER BY id LIMIT 1), ${LAST_POSITION}), :to)`;

@Injectable()
export class TypeormTrail extends Trail {
  private readonly floor: FeedFloor;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
    this.floor = new FeedFloor(database, clock, FLOOR);
  }

  record(unit: Work, event: NewOperatorEvent): void {
    const { by } = unit;
    if (by === undefined) throw new Error(`${event.type} has no author.`);
    const { type, resource, changes, organization } = event;
    const organizationId = organization && uuidOf(organization);
    const author = { via: by.via, keyId: by.key, holder: by.holder };
    this.database.atCommit(unit, async (transaction) => {
      const id = uuidOf(newId(OPERATOR_EVENT_ID, this.clock.now()));
      const row = { id, type, organizationId, resource, changes, ...author };
      await transaction.manager.insert(OperatorEventRecord, row);
    });
  }

  async byId(id: string): Promise<OperatorEvent> {
    const row = await this.database.reading(READERS, (manager) =>
      manager.findOneBy(OperatorEventRecord, { id: uuidOf(id) }),
    );
    if (!row) throw notFound('id');
    return fromRow(row);
  }

  async list(filter: OperatorEventFilter): Promise<Page<OperatorEvent>> {
    const { organization, type, from, to, cursor, order, limit } = filter;
    const [first, until] = createdRange({ from, to, cursor: undefined }, 0);
    const [last, before] = order === 'asc' ? await this.floor.read() : [LAST_POSITION, until];
    const bounds = { first, end: [until, before].sort()[0], last };
    const widened = {
      from: from && Math.max(0, from - MARGIN_MS),
      to: to && to + MARGIN_MS,
      cursor: undefined,
    };
    const [low, high] = createdRange(widened, 0);
    const rows = await this.database.reading(READERS, (manager) => {
      const query = manager.createQueryBuilder(OperatorEventRecord, 'event').where(IN_TIME, bounds);
      if (from !== undefined) query.andWhere(FROM, { from: low });
      if (to !== undefined) query.andWhere(TO, { to: high });
      if (organization !== undefined) query.andWhere({ organizationId: uuidOf(organization) });
      else query.comment('every organization: an operator reads the events of all');
      if (type !== undefined) query.andWhere({ type });
      if (cursor !== undefined) query.andWhere(FOLLOWS[order], { cursor: uuidOf(cursor) });
      const direction = order === 'asc' ? 'ASC' : 'DESC';
      query
        .orderBy('position', direction)
        .addOrderBy('event.id', direction)
        .limit(limit + 1);
      return query.getMany();
    });
    return { ...pageOf(rows.map(fromRow), limit), goesOn: order === 'asc' };
  }
}

function fromRow(row: OperatorEventRecord): OperatorEvent {
  const { type, resource, changes, organizationId, via, keyId, holder } = row;
  return {
    id: idOf(OPERATOR_EVENT_ID, row.id),
    type,
    organization: organizationId && idOf(ORGANIZATION_ID, organizationId),
    resource,
    by: { via, key: keyId, holder },
    changes: changes as Changes,
  };
}
