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
  /** The filter matches the events of this resource and of the related resources in its story. */
  readonly about: OwnId | undefined;
  /** This is the creation time in milliseconds: `from` is inclusive, `to` exclusive. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly order: Order;
  /** The filter matches this organization in a list of all organizations. */
  readonly organization: string | undefined;
}

export interface OwnedEvent extends Event {
  readonly organization: string;
}

export abstract class Events {
  /** Finds an event of the caller's organization in either mode. */
  abstract find(caller: Caller, id: string): Promise<Event | undefined>;
  /**
   * Locks the event, so that it stays as it is until the end of the unit. Refuses with not_found.
   */
  abstract lock(unit: Unit, id: string): Promise<Event>;
  /**
   * Lists events of the caller's mode. A page of large events has fewer than the limit, but at
   * least one if there is any.
   */
  abstract list(caller: Caller, filter: EventFilter): Promise<Page<Event>>;
  /** Lists events as `list` does, of all organizations or of the one that the filter names. */
  abstract listOfAll(ledger: Ledger, filter: EventFilter): Promise<Page<OwnedEvent>>;
}

/** Records events for other modules: an event exists exactly when its change does. */
export abstract class Outbox {
  /**
   * Records the event at the unit's time, and what other modules write about it in the same
   * statement (`eventTexts` of their declarations).
   */
  abstract record(unit: Unit, event: NewEvent): void;
  /** Calls the listener, which must not throw, with each event that this process has committed. */
  abstract onCommitted(listener: (caller: Caller, event: NewEvent) => void): void;
}

interface EventsOf<Told extends readonly unknown[]> {
  record(unit: Unit, ...told: Told): void;
}

/**
 * Provides a module's port for its events. `toEvent` makes an event from the values that use cases
 * pass: the type, and the entity after the change.
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
