import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import { byOrganization, type Place, sweep } from '../../../../persistence/sweep.js';
import { Config } from '../../../../platform/config.js';
import { Facts } from '../../../../platform/facts.js';
import { Jobs } from '../../../../platform/jobs.js';
import { MODES, type Mode } from '../../../../shared/caller.js';
import { Clock } from '../../../../shared/clock.js';
import { FIRST_UUID, firstUuidAt } from '../../../../shared/id.js';

const INTERVAL_MS = 10 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const BATCH = 500;

const OLD = {
  name: 'events.old',
  text: `/* every organization: removes old events of all of them */
    SELECT organization_id AS organization, ctid AS place, id FROM events
    WHERE mode = $2 AND type = $3 AND id > $5 AND id < $1 ORDER BY id LIMIT $4`,
};

/** SKIP LOCKED: several instances sweep at once without waiting for each other. */
const ofFacts = ({ eventTexts }: Facts) => ({
  name: 'events.remove',
  text: `/* both modes: the places are those of one */ WITH removed AS (
      DELETE FROM events WHERE organization_id = $1 AND ctid = ANY (ARRAY(
        SELECT ctid FROM events WHERE organization_id = $1 AND ctid = ANY ($2::tid[]) AND id < $3
        FOR UPDATE SKIP LOCKED))
      RETURNING organization_id, mode, id
    )${eventTexts.removed.map((text, place) => `, other_${place} AS (${text})`).join('')}
    SELECT FROM removed`,
});

const RETENTION = { queue: 'events.remove' };

interface OldEvent extends Place {
  readonly id: string;
}

/** Removes the events of all organizations that are older than their retention, with what other modules wrote of them. */
@Injectable()
export class EventSweeper implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly facts: Facts,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.repeat('remove_events', INTERVAL_MS, () => this.sweep());
  }

  async sweep(): Promise<void> {
    const before = firstUuidAt(this.clock.now() - this.config.eventRetentionDays * DAY_MS);
    const faults: unknown[] = [];
    const kinds = MODES.flatMap((mode) => this.facts.eventTypes.map((type) => ({ mode, type })));
    for (const { mode, type } of kinds) {
      await sweep<OldEvent>({
        limit: BATCH,
        find: (limit, after) => this.find(before, mode, type, limit, after),
        handle: (old) => this.remove(old, before),
      }).catch((error: unknown) => faults.push(error));
    }
    if (faults.length > 0) throw faults[0];
  }

  async find(
    before: string,
    mode: Mode,
    type: string,
    limit: number,
    after?: OldEvent,
  ): Promise<OldEvent[]> {
    return this.database.read<OldEvent>(RETENTION, OLD, [
      before,
      mode,
      type,
      limit,
      after?.id ?? FIRST_UUID,
    ]);
  }

  async remove(old: readonly OldEvent[], before: string): Promise<void> {
    const statement = ofFacts(this.facts);
    for (const [organization, places] of byOrganization(old)) {
      await this.database.autocommit(RETENTION, statement, [organization, places, before]);
    }
  }
}
