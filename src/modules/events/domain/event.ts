import type { Mode } from '../../../shared/caller.js';
import { idKind } from '../../../shared/id.js';

export const EVENT_ID = idKind('evt');

export interface Happening {
  readonly type: string;
  readonly object: string;
  /** Its place among the events of the resource, from 1, without holes: of two that claim one place, one is stale. */
  readonly sequence: number;
  /** The JSON of the resource as the API shows it from this change on. */
  readonly data: string;
  readonly reason?: string | null;
  readonly notifyUrl: string | null;
}

export interface Event {
  readonly id: string;
  readonly type: string;
  readonly mode: Mode;
  readonly sequence: number;
  readonly data: string;
  readonly reason: string | null;
}
