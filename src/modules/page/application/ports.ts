import type { Caller } from '../../../shared/caller.js';
import type { MovedClock } from '../../../shared/clock.js';
import type { OwnId } from '../../../shared/own-id.js';
import type { Unit } from '../../../shared/unit.js';

export interface StoredPage {
  /**
   * This URL applies to the session alone; without one, the customer pays at that of the
   * organization.
   */
  readonly paymentUrl: string | null;
  readonly isStarted: boolean;
}

export interface DueTransfer {
  readonly caller: Caller;
  readonly session: OwnId;
}

export abstract class Pages {
  abstract find(caller: Caller, session: string): Promise<StoredPage>;
  abstract start(unit: Unit, session: string): void;
  abstract setPaymentUrl(unit: Unit, session: string, url: string): void;
  /** Stores a bank transfer of a session. A session has one at most: a second one is not stored. */
  abstract addTransfer(unit: Unit, session: OwnId, dueAt: Date): void;
  /** Removes a bank transfer at once. Returns false if another process has removed it. */
  abstract takeTransfer(unit: Unit, session: OwnId): Promise<boolean>;
  /**
   * Finds up to `limit` bank transfers that are due, of all organizations or by a moved clock, in
   * the order of the IDs of their sessions.
   */
  abstract dueTransfers(
    limit: number,
    after?: DueTransfer,
    clock?: MovedClock,
  ): Promise<DueTransfer[]>;
}
