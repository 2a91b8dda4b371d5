import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { NOT_FOUND, notFound, Refusal } from '../../../shared/errors.js';
import { Deliveries } from './ports.js';

/** For operators: an event is tried at once, even one that was delivered or given up, and then goes on as scheduled. */
@Injectable()
export class ResendEvent {
  constructor(
    private readonly deliveries: Deliveries,
    private readonly clock: Clock,
  ) {}

  /** Returns when it is due, in milliseconds. Refuses with not_found. */
  async execute(id: string): Promise<number> {
    const now = this.clock.now();
    const found = await this.deliveries.resend(id, now);
    if (found === 'unknown') throw notFound('id');
    if (found === 'no_receiver') throw new Refusal(NOT_FOUND, 'The event goes nowhere: no notify_url was given.');
    return now;
  }
}
