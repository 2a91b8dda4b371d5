import { Injectable } from '@nestjs/common';
import { insertInto } from '../../../../persistence/batched.js';
import { Database } from '../../../../persistence/database.js';
import { keyOf } from '../../../../persistence/rows.js';
import { counter } from '../../../../platform/metric.js';
import { Declarations } from '../../../../platform/module-declaration.js';
import { type Caller, MODES } from '../../../../shared/caller.js';
import { newId, uuidOf } from '../../../../shared/id.js';
import type { Unit } from '../../../../shared/unit.js';
import { hostOf } from '../../../../shared/web-url.js';
import { Outbox } from '../../application/ports.js';
import { EVENT_ID, type NewEvent } from '../../domain/event.js';
import { EventRecord, numbered } from './event.record.js';

export const RECORDED = counter({
  name: 'tillgate_events_total',
  help: 'Recorded events, by type.',
  labels: { mode: MODES, type: ({ eventTypes }) => eventTypes },
});

const NOTIFIED = { url: 'text', receiver: 'text' };
type Notified = { readonly [Column in keyof typeof NOTIFIED]: string };

/** An event without a notify_url is recorded without the texts that deliver to one. */
const ofDeclarations = ({ eventTexts: { recorded, notified } }: Declarations) => ({
  event: insertInto<EventRecord>('new_event', EventRecord, { texts: recorded }),
  notifying: insertInto<EventRecord, Notified>('new_notifying_event', EventRecord, {
    more: NOTIFIED,
    texts: [...recorded, ...notified],
  }),
});

@Injectable()
export class PostgresOutbox extends Outbox {
  private readonly forms: ReturnType<typeof ofDeclarations>;
  private readonly listeners: Parameters<Outbox['onCommitted']>[0][] = [];

  constructor(
    private readonly database: Database,
    declarations: Declarations,
  ) {
    super();
    this.forms = ofDeclarations(declarations);
  }

  record(unit: Unit, event: NewEvent): void {
    const { notifyUrl: url } = event;
    const row = toRow(unit, event);
    if (url === null) this.database.batched(unit, this.forms.event, row);
    else {
      const receiver = hostOf(url);
      this.database.batched(unit, this.forms.notifying, { ...row, url, receiver });
    }
    const { organization, mode } = unit;
    unit.afterCommit(() => this.announce({ organization, mode }, event));
  }

  onCommitted(listener: (caller: Caller, event: NewEvent) => void): void {
    this.listeners.push(listener);
  }

  private announce(caller: Caller, event: NewEvent): void {
    RECORDED.inc({ mode: caller.mode, type: event.type });
    event.committed?.();
    for (const listener of this.listeners) listener(caller, event);
  }
}

function toRow(unit: Unit, event: NewEvent): EventRecord {
  const { type, object, sequence, data, reason = null } = event;
  const details = event.details === undefined ? null : JSON.stringify(event.details);
  const key = keyOf(unit, newId(EVENT_ID, unit));
  return { ...key, type, objectId: uuidOf(object), data, reason, details, ...numbered(sequence) };
}
