import type { Caller, Ledger } from '../../../shared/caller.js';
import type { OwnId } from '../../../shared/own-id.js';
import type { Page, PageRequest } from '../../../shared/page.js';
import type { Unit } from '../../../shared/unit.js';
import type { Event, NewEvent } from '../domain/event.js';

export const ORDERS = ['desc', 'asc'] as const;
export type Order = (typeof ORDERS)[number];
export const DEFAULT_ORDER: Order = 'desc';

export interface EventFilter extends PageRequest {
  readonly type: string | undefined;
  readonly object: OwnId | undefined;
  /** A resource: its events, and those of the others in its story. */
  readonly about: OwnId | undefined;
  /** Creation time in milliseconds: from inclusive, to exclusive. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly order: Order;
  /** Of a list of all organizations. */
  readonly organization: string | undefined;
}

export interface OwnedEvent extends Event {
  readonly organization: string;
}

export abstract class Events {
  /** Finds an event of the caller's organization in either mode. */
  abstract find(caller: Caller, id: string): Promise<Event | undefined>;
  /** Keeps the event as it is until the end of the unit. Refuses with not_found. */
  abstract lock(unit: Unit, id: string): Promise<Event>;
  /**
   * Events of the caller's mode. A page of large events has fewer than the limit, but at least one
   * if there is any.
   */
  abstract list(caller: Caller, filter: EventFilter): Promise<Page<Event>>;
  /** The same of all organizations, or of the one that the filter names. */
  abstract listOfAll(ledger: Ledger, filter: EventFilter): Promise<Page<OwnedEvent>>;
}

/** Where other modules record what they change: an event exists exactly when its change does. */
export abstract class Outbox {
  /**
   * Records the event at the unit's time, and what other modules write of it in the same statement
   * (`eventTexts` of their facts).
   */
  abstract record(unit: Unit, event: NewEvent): void;
  /** Calls the listener, which must not throw, with each event that this process has committed. */
  abstract onCommitted(listener: (caller: Caller, event: NewEvent) => void): void;
}

interface EventsOf<Told extends readonly unknown[]> {
  record(unit: Unit, ...told: Told): void;
}

/**
 * Provides a module's port for its events. `toEvent` makes one of what the use cases tell: the
 * type, and the entity after the change.
 */
export const recordedBy = <Told extends readonly unknown[]>(
  port: abstract new () => EventsOf<Told>,
  toEvent: (...told: Told) => NewEvent,
) => ({
  provide: port,
  inject: [Outbox],
  useFactory: (outbox: Outbox): EventsOf<Told> => ({
    record: (unit, ...told) => outbox.record(unit, toEvent(...told)),
  }),
});
