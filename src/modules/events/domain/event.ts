import type { Mode } from '../../../shared/caller.js';
import { idKind } from '../../../shared/id.js';

export const EVENT_ID = idKind('evt');

export interface NewEvent {
  readonly type: string;
  readonly object: string;
  /**
   * This is the number of the event among those of its resource, from 1. A unique key lets only one
   * of two concurrent changes take a number.
   */
  readonly sequence: number;
  readonly data: string;
  readonly reason?: string | null;
  readonly details?: Readonly<Record<string, string | null>>;
  readonly notifyUrl: string | null;
  /** It is called once the event is committed. It must not throw. */
  readonly committed?: (() => void) | undefined;
}

export interface Event {
  readonly id: string;
  readonly type: string;
  readonly mode: Mode;
  readonly sequence: number;
  readonly data: string;
  readonly reason: string | null;
  /** This is JSON; it is missing or null if there are no details. */
  readonly details?: string | null | undefined;
}
