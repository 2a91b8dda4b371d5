import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import { statement } from '../../../../persistence/statement.js';
import { byOrganization, type Place, sweep } from '../../../../persistence/sweep.js';
import { Config } from '../../../../platform/config.js';
import { Jobs } from '../../../../platform/jobs.js';
import { Declarations } from '../../../../platform/module-declaration.js';
import { MODES, type Mode } from '../../../../shared/caller.js';
import { Clock } from '../../../../shared/clock.js';
import { firstUuidAt } from '../../../../shared/id.js';
import { EventRecord } from './event.record.js';
import { ACROSS } from './event-lists.js';

const INTERVAL_MS = 10 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const BATCH = 500;

interface Removed {
  readonly organization: string;
  readonly places: readonly string[];
  readonly before: string;
}

/**
 * The statement skips locked rows, so that several instances sweep at once without waiting for each
 * other.
 */
const ofDeclarations = ({ eventTexts }: Declarations) =>
  statement<Removed>('events.remove', ({ organization, places, before }) => {
    const others = eventTexts.removed.map((text, place) => {
      return `, other_${place} AS (${text('removed', organization)})`;
    });
    return `/* both modes: the places are those of one */ WITH removed AS (
      DELETE FROM events WHERE organization_id = ${organization} AND ctid = ANY (ARRAY(
        SELECT ctid FROM events
        WHERE organization_id = ${organization} AND ctid = ANY (${places}::tid[]) AND id < ${before}
        FOR UPDATE SKIP LOCKED))
      RETURNING organization_id, mode, id
    )${others.join('')}
    SELECT FROM removed`;
  });

const RETENTION = { queue: 'events.remove' };

interface OldEvent extends Place {
  readonly id: string;
}

/**
 * Removes the events of all organizations that are older than their retention, with all that other
 * modules wrote about them.
 */
@Injectable()
export class EventSweeper implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly declarations: Declarations,
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
    const kinds = MODES.flatMap((mode) =>
      this.declarations.eventTypes.map((type) => ({ mode, type })),
    );
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
    return this.database.reading(RETENTION, (manager) => {
      const query = manager
        .createQueryBuilder(EventRecord, 'event')
        .select('event.organizationId', 'organization')
        .addSelect('ctid', 'place')
        .addSelect('event.id', 'id')
        .where({ mode, type })
        .andWhere('event.id < :before', { before })
        .andWhere(ACROSS);
      if (after) query.andWhere('event.id > :after', { after: after.id });
      query.comment('every organization: removes old events of all of them');
      return query.orderBy('event.id').limit(limit).getRawMany<OldEvent>();
    });
  }

  async remove(old: readonly OldEvent[], before: string): Promise<void> {
    const statement = ofDeclarations(this.declarations);
    for (const [organization, places] of byOrganization(old)) {
      const values = statement.of({ organization, places, before });
      await this.database.autocommit(RETENTION, ...values);
    }
  }
}
