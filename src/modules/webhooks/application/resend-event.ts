import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { type ErrorCode, NOT_FOUND, notFound, Refusal } from '../../../shared/errors.js';
import type { Unit } from '../../../shared/unit.js';
import { type Event, Events } from '../../events/index.js';
import { MAX_RESENDABLE } from '../domain/schedule.js';
import { EventDeliveries, type Recipient } from './ports.js';

export const RESEND_LIMIT: ErrorCode = {
  code: 'resend_limit',
  kind: 'state',
  meaning:
    `The event was sent ${MAX_RESENDABLE} times to each of these receivers. Read the event to ` +
    'see the last attempts.',
};

export interface ResentEvent {
  readonly event: Event;
  readonly recipients: readonly Recipient[];
  readonly dueAt: number;
}

/**
 * Sends an event again at once, even one that was delivered or given up. Failed attempts are
 * repeated as usual.
 */
@Injectable()
export class ResendEvent {
  constructor(
    private readonly events: Events,
    private readonly deliveries: EventDeliveries,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends the event to one endpoint, whatever its types, or to the notify_url and all endpoints
   * that subscribe to the type. Receivers that got MAX_RESENDABLE attempts are left out. Refuses
   * with not_found, or with resend_limit if none is left.
   */
  async execute(unit: Unit, id: string, endpoint?: string): Promise<ResentEvent> {
    const found = await this.events.find(unit, id);
    if (found?.mode !== unit.mode) throw notFound('id');
    const all = await this.deliveries.lockRecipients(unit, found, endpoint);
    // The event is read again under a lock, because the answer is stored: its details may be
    // forgotten at this moment.
    const event = await this.events.lock(unit, id);
    requireSome(all, endpoint);
    const recipients = requireResendable(all, id);
    const dueAt = this.clock.now();
    this.deliveries.send(unit, event, recipients, dueAt);
    return { event, recipients, dueAt };
  }
}

function requireSome(recipients: readonly Recipient[], endpoint: string | undefined): void {
  if (recipients.length > 0) return;
  if (endpoint !== undefined) throw notFound('webhook_endpoint');
  const message =
    'The event has no recipient: no notify_url, and no endpoint that subscribes to its type.';
  throw new Refusal(NOT_FOUND, message);
}

export function requireResendable(
  recipients: readonly Recipient[],
  event: string,
): readonly Recipient[] {
  const left = recipients.filter(({ attempts }) => attempts < MAX_RESENDABLE);
  if (left.length > 0) return left;
  throw new Refusal(RESEND_LIMIT, `The event was sent ${MAX_RESENDABLE} times already.`, [], event);
}
