import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { isUnavailable } from '../../../../platform/database/faults.js';
import { byOrganization, type Place } from '../../../../platform/database/places.js';
import { Facts } from '../../../../platform/facts.js';
import { MODES } from '../../../../shared/caller.js';
import { FIRST_UUID, firstUuidAt } from '../../../../shared/id.js';
import { OldEvents } from '../../application/ports.js';

const OLD = {
  name: 'events.old',
  text: `/* every organization: removes old events of all of them */
    SELECT organization_id AS organization, ctid AS place, id FROM events
    WHERE mode = $2 AND type = $3 AND id > $5 AND id < $1 ORDER BY id LIMIT $4`,
};

/** SKIP LOCKED: several instances sweep at once without waiting for each other. Deleting a delivery deletes its attempts. */
const REMOVE = {
  name: 'events.remove',
  text: `WITH removed AS (
      DELETE FROM events WHERE organization_id = $1 AND ctid = ANY (ARRAY(
        SELECT ctid FROM events WHERE organization_id = $1 AND ctid = ANY ($2::tid[]) AND id < $3
        FOR UPDATE SKIP LOCKED))
      RETURNING organization_id, mode, id
    ), deliveries AS (
      DELETE FROM webhook_deliveries delivery USING removed WHERE delivery.organization_id = $1
        AND delivery.mode = removed.mode AND delivery.event_id = removed.id
    )
    SELECT FROM removed`,
};

const RETENTION = { queue: 'events.remove' };

@Injectable()
export class PostgresOldEvents extends OldEvents {
  constructor(
    private readonly database: Database,
    private readonly facts: Facts,
  ) {
    super();
  }

  async *removeBefore(instant: number, batch: number): AsyncGenerator<number, void> {
    const before = firstUuidAt(instant);
    const failures: unknown[] = [];
    for (const mode of MODES) {
      for (const type of this.facts.eventTypes) {
        let after = FIRST_UUID;
        for (let found = batch; found === batch; ) {
          const old = await this.database.read<Place & { id: string }>(RETENTION, OLD, [
            before,
            mode,
            type,
            batch,
            after,
          ]);
          for (const [organization, places] of byOrganization(old)) {
            failures.push(...(await this.remove(organization, places, before)));
          }
          found = old.length;
          after = old.at(-1)?.id ?? after;
          if (found > 0) yield found;
        }
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Removes rows that fail together one by one, so that one that cannot be removed keeps no other. Returns what failed. */
  private async remove(organization: string, places: readonly string[], before: string): Promise<unknown[]> {
    try {
      await this.database.autocommit(RETENTION, REMOVE, [organization, places, before]);
      return [];
    } catch (error) {
      if (isUnavailable(error)) throw error;
      if (places.length === 1) return [error];
      const failures: unknown[] = [];
      for (const place of places) failures.push(...(await this.remove(organization, [place], before)));
      return failures;
    }
  }
}
