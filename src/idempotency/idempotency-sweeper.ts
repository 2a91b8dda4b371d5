import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { inBatches, Jobs } from '../platform/jobs.js';
import { StoredResponses } from './stored-responses.js';

const INTERVAL_MS = 60_000;
const BATCH = 1_000;

/** Removes expired responses. It does not matter when, because an expired key already counts as new. */
@Injectable()
export class IdempotencySweeper implements OnApplicationBootstrap {
  constructor(
    private readonly responses: StoredResponses,
    private readonly jobs: Jobs,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.repeat('remove_idempotency_keys', INTERVAL_MS, () =>
      inBatches((limit) => this.responses.sweep(limit), BATCH),
    );
  }
}
