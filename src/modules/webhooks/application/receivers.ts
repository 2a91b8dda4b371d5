import type { Event } from '../../events/index.js';
import type { AttemptResult } from '../domain/schedule.js';

export interface Message {
  readonly url: string;
  readonly event: Event;
  /**
   * Given if and only if the receiver is the ledger's: the organization of the event, or null if it
   * has none.
   */
  readonly organization?: string | null;
  /** The message has a signature for each secret. */
  readonly secrets: readonly string[];
  readonly at: number;
}

/** Sends webhooks. Only OutgoingAttempts has it, which bounds what is under way. */
export abstract class Receivers {
  /**
   * Every failure is a result, but one: throws when the process has no file descriptor left, which
   * is no fault of the receiver.
   */
  abstract send(message: Message, signal: AbortSignal): Promise<AttemptResult>;
}
