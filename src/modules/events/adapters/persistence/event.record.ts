import { Column, Entity, PrimaryColumn } from 'typeorm';
import { selectionOf } from '../../../../persistence/columns.js';
import { MODES, type Mode } from '../../../../shared/caller.js';

@Entity('events')
export class EventRecord {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('enum', { enum: MODES, enumName: 'mode' })
  mode!: Mode;

  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  type!: string;

  @Column('uuid', { name: 'object_id' })
  objectId!: string;

  /** The sequence begins with 1. The number of the event is `sequenceBase + sequence`. */
  @Column('smallint')
  sequence!: number;

  @Column('integer', { name: 'sequence_base' })
  sequenceBase!: number;

  @Column('text')
  data!: string;

  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('text', { nullable: true })
  details!: string | null;
}

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
