import type { Mode } from '../../../shared/caller.js';
import { newId } from '../../../shared/id.js';

/** Something that happens to one resource. */
export interface Happening {
  readonly type: string;
  /** The resource's id. */
  readonly object: string;
  /** Its place among the events of the resource: the first is 1, and none is left out. */
  readonly sequence: number;
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
  readonly type: string;
  /** The resource's id. */
  readonly object: string;
  /** Its place among the events of the resource: the first is 1, and none is left out. */
  readonly sequence: number;
  /** The JSON of the resource as the API shows it from this change on. */
  readonly data: string;
}

export interface Event {
  readonly id: string;
  readonly type: string;
  readonly mode: Mode;
  readonly sequence: number;
  readonly data: string;
}

/** `now` is in milliseconds. */
export function newEvent(happening: Omit<NewEvent, 'id' | 'at'>, now: number): NewEvent {
  return { ...happening, id: newId('evt', now), at: now };
}
