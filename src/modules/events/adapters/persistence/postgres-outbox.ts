import { Injectable } from '@nestjs/common';
import { insertInto } from '../../../../platform/database/columns.js';
import { several } from '../../../../platform/database/statement.js';
import type { Caller } from '../../../../shared/caller.js';
import { Clock } from '../../../../shared/clock.js';
import type { Write } from '../../../../shared/decision.js';
import { newId, uuidOf } from '../../../../shared/id.js';
import { Outbox } from '../../application/ports.js';
import type { Happening } from '../../domain/event.js';
import { EventRecord } from './event.record.js';
import { DELIVER_EVENT } from './record-event.js';

const insert = insertInto('events.record', EventRecord);

@Injectable()
export class PostgresOutbox extends Outbox {
  constructor(private readonly clock: Clock) {
    super();
  }

  record({ organization, mode }: Caller, { type, object, sequence, data, notifyUrl }: Happening): Write {
    const now = this.clock.now();
    const organizationId = uuidOf(organization);
    const id = uuidOf(newId('evt', now));
    const event = insert({
      organizationId,
      mode,
      id,
      type,
      objectId: uuidOf(object),
      sequence,
      data,
    });
    if (notifyUrl === null) return event;
    const values = [organizationId, mode, id, notifyUrl, new Date(now)];
    return several('events.record', event, { name: 'events.deliver', sql: DELIVER_EVENT.sql, values });
  }
}
