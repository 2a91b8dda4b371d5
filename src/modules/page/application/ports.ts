import type { Caller, Mode } from '../../../shared/caller.js';
import type { MovedClock } from '../../../shared/clock.js';
import type { OwnId } from '../../../shared/own-id.js';

/** Where the customers of an organization pay, by mode. */
export type PaymentUrls = Readonly<Record<Mode, string | null>>;

export interface StoredPage {
  /** The session's payment URL or, without one, the organization's. */
  readonly paymentUrl: string | null;
  readonly isStarted: boolean;
}

/** A bank transfer of the pretend payer. */
export interface DueTransfer {
  readonly caller: Caller;
  readonly session: OwnId;
}

export abstract class Pages {
  abstract find(caller: Caller, session: string): Promise<StoredPage>;
  abstract start(caller: Caller, session: string): Promise<void>;
  abstract setPaymentUrl(caller: Caller, session: string, url: string): Promise<void>;
  /** Sets the payment URL of all sessions that have none of their own; null removes it. */
  abstract setOrganizationPaymentUrl(caller: Caller, url: string | null): Promise<void>;
  abstract organizationPaymentUrl(caller: Caller): Promise<string | null>;
  /** Those of the organizations, in their order. */
  abstract paymentUrlsOf(organizations: readonly string[]): Promise<PaymentUrls[]>;
  /** A session has one bank transfer at most: of a second one, nothing is stored. */
  abstract addTransfer(caller: Caller, session: OwnId, dueAt: Date): Promise<void>;
  /** Removes a bank transfer in the open transaction. False if another process has. */
  abstract takeTransfer(caller: Caller, session: OwnId): Promise<boolean>;
  /** Finds up to `limit` that are due, of all organizations or by a moved clock, in the order of the IDs of their sessions. */
  abstract dueTransfers(limit: number, after?: DueTransfer, clock?: MovedClock): Promise<DueTransfer[]>;
}

/** Receives the transfers that a moved test clock made due. */
export abstract class DueTransfers {
  abstract sweep(clock: MovedClock): Promise<void>;
}
