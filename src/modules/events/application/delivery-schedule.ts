import type { Caller } from '../../../shared/caller.js';
import type { Write } from '../../../shared/decision.js';
import type { ClaimedDelivery } from './ports.js';

/** The due times of an organization's deliveries, which are stored as real time. */
export abstract class DeliverySchedule {
  /** Makes deliveries that are due later due `seconds` earlier. Attempts that are under way do not change. */
  abstract advance(caller: Caller, seconds: number): Write;
  /** Whether no delivery is due or under way. */
  abstract isIdle(caller: Caller): Promise<boolean>;
  /** When a claimed delivery was due, by its organization's clock, in milliseconds; null for a resend. */
  abstract dueAt(caller: Caller, claimed: ClaimedDelivery): Promise<number | null>;
}
