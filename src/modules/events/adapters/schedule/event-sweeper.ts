import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../../../platform/config.js';
import { inBatches, Jobs } from '../../../../platform/jobs.js';
import { Clock } from '../../../../shared/clock.js';
import { Events } from '../../application/ports.js';

const INTERVAL_MS = 10 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const BATCH = 500;

/** Removes events that are older than EVENT_RETENTION_DAYS. */
@Injectable()
export class EventSweeper implements OnApplicationBootstrap {
  constructor(
    private readonly events: Events,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.repeat('remove_events', INTERVAL_MS, () => this.sweep());
  }

  async sweep(): Promise<void> {
    const before = this.clock.now() - this.config.eventRetentionDays * DAY_MS;
    await inBatches((limit) => this.events.removeBefore(before, limit), BATCH);
  }
}
