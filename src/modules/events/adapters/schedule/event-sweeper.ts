import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../../../platform/config.js';
import { Jobs } from '../../../../platform/jobs.js';
import { Clock } from '../../../../shared/clock.js';
import { OldEvents } from '../../application/ports.js';

const INTERVAL_MS = 10 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const BATCH = 500;

@Injectable()
export class EventSweeper implements OnApplicationBootstrap {
  constructor(
    private readonly events: OldEvents,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.repeat('remove_events', INTERVAL_MS, () => this.sweep());
  }

  /** Pauses after each batch for as long as it took, to leave time for requests. */
  async sweep(): Promise<void> {
    const before = this.clock.now() - this.config.eventRetentionDays * DAY_MS;
    let started = performance.now();
    for await (const _ of this.events.removeBefore(before, BATCH)) {
      await sleep(performance.now() - started);
      started = performance.now();
    }
  }
}
