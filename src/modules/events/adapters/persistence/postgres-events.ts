import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../../persistence/database.js';
import { FeedFloor, floorOf, LAST_POSITION } from '../../../../persistence/feed-floor.js';
import { keyOf } from '../../../../persistence/rows.js';
import { Declarations } from '../../../../platform/module-declaration.js';
import { type Caller, type Ledger, MODES, Owners } from '../../../../shared/caller.js';
import { CallerClock, Clock } from '../../../../shared/clock.js';
import { notFound } from '../../../../shared/errors.js';
import { createdRange, idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import type { Page } from '../../../../shared/page.js';
import type { Unit } from '../../../../shared/unit.js';
import { type EventFilter, Events, type OwnedEvent } from '../../application/ports.js';
import { EVENT_ID, type Event } from '../../domain/event.js';
import { EventRecord } from './event.record.js';
import { LIST, listOfObjects, OF_ALL, OF_OBJECT } from './event-lists.js';

const FLOOR = floorOf('events.floor', 'events');

/** An event may be inserted so much later than its ID says, because clocks differ. */
const MARGIN_MS = 60_000;

/**
 * A list reads one row more than its limit, so that `followed` is right for the last event of the
 * page.
 */
interface Found extends Event {
  readonly followed: boolean;
}

@Injectable()
export class PostgresEvents extends Events {
  readonly floor: FeedFloor;

  constructor(
    private readonly database: Database,
    private readonly declarations: Declarations,
    private readonly owners: Owners,
    private readonly clock: CallerClock,
    processClock: Clock,
  ) {
    super();
    this.floor = new FeedFloor(database, processClock, FLOOR);
  }

  async find(caller: Caller, id: string): Promise<Event | undefined> {
    const key = { organizationId: uuidOf(caller.organization), mode: In(MODES), id: uuidOf(id) };
    const row = await this.database.reading(caller, (manager) =>
      manager.findOneBy(EventRecord, key),
    );
    if (!row) return undefined;
    return eventOf(id, row);
  }

  async lock(unit: Unit, id: string): Promise<Event> {
    const options = { where: keyOf(unit, id), lock: { mode: 'pessimistic_read' } } as const;
    const row = await this.database.inTransaction(unit, ({ manager }) =>
      manager.findOne(EventRecord, options),
    );
    if (!row) throw notFound('id');
    return eventOf(id, row);
  }

  async list(caller: Caller, filter: EventFilter): Promise<Page<Event>> {
    return pageOf(await this.found(caller, filter, (await this.clock.at(caller)).ahead), filter);
  }

  async listOfAll(ledger: Ledger, filter: EventFilter): Promise<Page<OwnedEvent>> {
    const { organization, object } = filter;
    if (organization !== undefined) return this.listOfOne({ organization, ...ledger }, filter);
    if (object === undefined) return pageOf(await this.foundOfAll(ledger, filter), filter);
    const owner = await this.owners.find(ledger, object);
    return owner ? this.listOfOne(owner, filter) : pageOf([], filter);
  }

  private async listOfOne(owner: Caller, filter: EventFilter): Promise<Page<OwnedEvent>> {
    const { organization } = owner;
    const owned = (await this.found(owner, filter, 0)).map((row) => ({ ...row, organization }));
    return pageOf(owned, filter);
  }

  private async found(caller: Caller, filter: EventFilter, ahead: number): Promise<Found[]> {
    const { type, object, about, order, limit } = filter;
    const [low, high, first, end, from, to, last] = await this.range(filter, ahead);
    const place = {
      organization: uuidOf(caller.organization),
      mode: caller.mode,
      low,
      high,
      first,
      end,
      from,
      to,
      last,
    };
    const page = { ...place, limit: limit + 1 };
    const whole = about ?? object;
    if (whole === undefined) {
      const { all, type: ofType } = LIST[order];
      return this.database.read<Found>(
        caller,
        ...(type === undefined ? all.of(page) : ofType.of({ ...page, type })),
      );
    }
    const stories = this.declarations.resources.flatMap(({ relatedEvents }) =>
      relatedEvents && about?.startsWith(`${relatedEvents.of.prefix}_`) ? relatedEvents.others : [],
    );
    const statement =
      about === undefined ? OF_OBJECT[order] : listOfObjects('story', stories, order);
    const objects = {
      id: uuidOf(whole),
      type: type ?? null,
      object: object === undefined ? null : uuidOf(object),
    };
    return this.database.read<Found>(caller, ...statement.of({ ...page, ...objects }));
  }

  private async foundOfAll({ mode }: Ledger, filter: EventFilter): Promise<(Found & OwnedEvent)[]> {
    const { type, limit, order } = filter;
    const types = type === undefined ? this.declarations.eventTypes : [type];
    const [low, high, first, end, , , last] = await this.range(filter, 0);
    const page = { mode, low, high, limit: limit + 1, types, first, end, last };
    const { here, onCitus } = OF_ALL[order];
    const statement = this.database.isDistributed ? onCitus : here;
    const rows = await this.database.read<Found & OwnedEvent>({ mode }, ...statement.of(page));
    return rows.map((row) => ({ ...row, organization: idOf(ORGANIZATION_ID, row.organization) }));
  }

  private async range({ from, to, cursor, order, object }: EventFilter, ahead: number) {
    const widened = {
      from: from && Math.max(0, from - MARGIN_MS),
      to: to && to + MARGIN_MS,
      cursor,
      order,
    };
    const [low, high] = createdRange(widened, ahead);
    const [first, end, ...created] = createdRange({ from, to, cursor: undefined }, ahead);
    // An event of an object is committed before the next one of the same object draws its position.
    const isBounded = order === 'asc' && object === undefined;
    const [last, before] = isBounded ? await this.floor.read() : ([LAST_POSITION, end] as const);
    return [low, high, first, [end, before].sort()[0] as string, ...created, last] as const;
  }
}

function pageOf<Row extends Found>(rows: readonly Row[], { limit, order }: EventFilter): Page<Row> {
  const items = rows.slice(0, limit).map((row) => ({ ...row, id: idOf(EVENT_ID, row.id) }));
  return { items, hasMore: items.at(-1)?.followed ?? false, goesOn: order === 'asc' };
}

function eventOf(id: string, row: EventRecord): Event {
  const { mode, type, sequence, sequenceBase, data, reason, details } = row;
  return { id, mode, type, sequence: sequenceBase + sequence, data, reason, details };
}
