import { Injectable, Logger } from '@nestjs/common';
import { type ClaimedDelivery, DeliveryLog } from '../../application/ports.js';
import type { AttemptResult, Verdict } from '../../domain/schedule.js';

@Injectable()
export class LoggedDeliveries extends DeliveryLog {
  private readonly logger = new Logger('Webhooks');

  failed({ event, receiver, attempt }: ClaimedDelivery, result: AttemptResult & Verdict): void {
    const next = result.nextAttemptAt === null ? 'none' : new Date(result.nextAttemptAt).toISOString();
    const why = String(result.statusCode ?? result.error).replace(/\.$/, '');
    this.logger.warn(`${event.id} to ${receiver} failed: ${why}. Attempt ${attempt}, next attempt ${next}.`);
  }

  broke(error: unknown): void {
    this.logger.warn(error);
  }
}
