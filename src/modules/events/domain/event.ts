import type { Mode } from '../../../shared/caller.js';
import { type IdKind, newId } from '../../../shared/id.js';

export const EVENT_TYPES = [
  'checkout.session.created',
  'checkout.session.completed',
  'checkout.session.expired',
  'refund.created',
  'refund.succeeded',
  'refund.failed',
  'refund.canceled',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Something that happens to one resource. */
export interface Happening {
  readonly type: EventType;
  /** The resource's id. */
  readonly object: string;
  /** The JSON of the resource as the API shows it from this change on. */
  readonly data: string;
  /** Where its webhook goes, if anywhere. */
  readonly notifyUrl: string | null;
}

/** Something that happened to one resource, about to be recorded with the change itself. */
export interface NewEvent {
  readonly id: string;
  /** The instant inside the id, in milliseconds: when the first attempt to tell somebody is due. */
  readonly at: number;
  readonly type: EventType;
  /** The resource's id. */
  readonly object: string;
  /** The JSON of the resource as the API shows it from this change on. */
  readonly data: string;
}

export interface Event {
  readonly id: string;
  readonly type: EventType;
  readonly mode: Mode;
  readonly sequence: number;
  readonly data: string;
}

/** `now` is in milliseconds. */
export function newEvent(type: EventType, object: string, data: string, now: number): NewEvent {
  return { id: newId('evt', now), at: now, type, object, data };
}

/**
 * The place of an event among those of its resource. Nothing needs to be counted: a resource is created, and then moves
 * once, to a state that is final. A third kind of step would be refused by the database before it could leave a hole.
 */
export function sequenceOf(type: EventType): number {
  return type.endsWith('.created') ? 1 : 2;
}

/** The types that a resource of this kind goes through. */
export function typesOf(kind: IdKind): readonly EventType[] {
  const prefix = { cs: 'checkout.session.', re: 'refund.' }[kind as string];
  return prefix === undefined ? [] : EVENT_TYPES.filter((type) => type.startsWith(prefix));
}
