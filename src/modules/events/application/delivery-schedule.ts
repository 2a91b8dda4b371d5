import type { Caller } from '../../../shared/caller.js';
import type { Write } from '../../../shared/decision.js';
import type { ClaimedDelivery } from './ports.js';

/** When the deliveries of an organization are due, which is kept in real time. */
export abstract class DeliverySchedule {
  /** What is due later is due so many seconds earlier. Attempts that are under way stay under way. */
  abstract advance(caller: Caller, seconds: number): Write;
  /** Whether nothing is due or under way. */
  abstract isSettled(caller: Caller): Promise<boolean>;
  /** When a claimed delivery was due, as its organization saw it; null if somebody asked for it out of turn. */
  abstract dueAt(caller: Caller, claimed: ClaimedDelivery): Promise<number | null>;
}
