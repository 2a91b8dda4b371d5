import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { drain, type Repetition, repeat } from '../repeat.js';
import { StoredResponses } from './stored-responses.js';

const INTERVAL_MS = 60_000;
const BATCH = 1_000;

/** Removes stored responses whose time is over. Nothing depends on when: an expired key already counts as new. */
@Injectable()
export class IdempotencySweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(IdempotencySweeper.name);
  private repetition: Repetition | undefined;

  constructor(private readonly responses: StoredResponses) {}

  onApplicationBootstrap(): void {
    this.repetition = repeat(() => drain((limit) => this.responses.sweep(limit), BATCH), {
      job: 'remove_idempotency_keys',
      everyMs: INTERVAL_MS,
      onError: (error) => this.logger.warn(error),
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.repetition?.stop();
  }
}
