import type { Event } from '../../events/index.js';
import type { AttemptResult } from '../domain/schedule.js';

export interface Message {
  readonly url: string;
  readonly event: Event;
  /**
   * This is given if and only if the receiver is the ledger's: it is the organization of the event,
   * or null if the event has none.
   */
  readonly organization?: string | null;
  /** The message has a signature for each secret. */
  readonly secrets: readonly string[];
  readonly at: number;
}

/**
 * Sends webhooks. Only OutgoingAttempts has this port, because it bounds the attempts that are
 * under way.
 */
export abstract class Receivers {
  /**
   * Sends a message. Every failure is a result, except one: it throws when the process has no file
   * descriptor left, which is not the receiver's fault.
   */
  abstract send(message: Message, signal: AbortSignal): Promise<AttemptResult>;
}
