import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { sweep } from '../../persistence/sweep.js';
import { Jobs } from '../../platform/jobs.js';
import { type OldResponse, StoredResponses } from './stored-responses.js';

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
    this.jobs.repeat('remove_idempotency_keys', INTERVAL_MS, () => this.sweep());
  }

  async sweep(limit = BATCH): Promise<void> {
    await sweep<OldResponse>({
      limit,
      find: (most, after) => this.responses.old(most, after),
      handle: (old) => this.responses.remove(old),
    });
  }
}
