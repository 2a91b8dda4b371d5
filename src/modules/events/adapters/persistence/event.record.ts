import { Check, Column, Entity, Generated, Index, PrimaryColumn, Unique } from 'typeorm';
import { selectionOf } from '../../../../platform/database/columns.js';
import type { Mode } from '../../../../shared/caller.js';

const PRIMARY = { primaryKeyConstraintName: 'events_pkey' };

@Entity('events')
@Unique('events_sequence_key', ['organizationId', 'mode', 'objectId', 'sequenceBase', 'sequence'])
@Index('events_list', ['organizationId', 'mode', 'position', 'id'])
@Index('events_list_of_type', ['organizationId', 'mode', 'type', 'position', 'id'])
@Index('events_list_across', ['mode', 'type', 'position', 'id'])
@Index('events_across', ['mode', 'type', 'id'])
@Check('events_mode', `mode IN ('test', 'live')`)
@Check('events_type', `type ~ '^[a-z_]+([.][a-z_]+)+$'`)
@Check('events_sequence', 'sequence >= 1')
export class EventRecord {
  @PrimaryColumn('uuid', { name: 'organization_id', ...PRIMARY })
  organizationId!: string;

  @PrimaryColumn('text', { ...PRIMARY })
  mode!: Mode;

  @PrimaryColumn('uuid', { ...PRIMARY })
  id!: string;

  @Column('text')
  type!: string;

  @Column('uuid', { name: 'object_id' })
  objectId!: string;

  /** From 1. The number of the event is `sequenceBase + sequence`. */
  @Column('smallint')
  sequence!: number;

  @Column('integer', { name: 'sequence_base', default: 0 })
  sequenceBase!: number;

  /** Its place in lists, which the database draws. 0 for events of before there were positions, and on Citus. */
  @Generated('increment')
  @Column({ type: 'bigint', insert: false })
  position?: number;

  @Column('text')
  data!: string;

  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('text', { nullable: true })
  details!: string | null;
}

/** The largest smallint. */
const MOST = 32_767;
const NUMBER = 'sequence_base + sequence';

export const EVENT_COLUMNS = selectionOf(EventRecord, { sequence: NUMBER }, [
  'mode',
  'id',
  'type',
  'sequence',
  'data',
  'reason',
  'details',
]);

export function numbered(number: number): Pick<EventRecord, 'sequence' | 'sequenceBase'> {
  const rest = (number - 1) % MOST;
  return { sequence: rest + 1, sequenceBase: number - 1 - rest };
}
