import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Config } from '../../../../platform/config.js';
import { drain, type Repetition, repeat } from '../../../../platform/repeat.js';
import { Clock } from '../../../../shared/clock.js';
import { Events } from '../../application/ports.js';

const INTERVAL_MS = 10 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const BATCH = 500;

/** Removes events that have been kept for as long as they were promised to be. */
@Injectable()
export class EventSweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(EventSweeper.name);
  private repetition: Repetition | undefined;

  constructor(
    private readonly events: Events,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.repetition = repeat(() => this.sweep(), {
      job: 'remove_events',
      everyMs: INTERVAL_MS,
      onError: (error) => this.logger.warn(error),
    });
  }

  async sweep(): Promise<void> {
    const before = this.clock.now() - this.config.eventRetentionDays * DAY_MS;
    await drain((limit) => this.events.removeBefore(before, limit), BATCH);
  }

  async onModuleDestroy(): Promise<void> {
    await this.repetition?.stop();
  }
}
