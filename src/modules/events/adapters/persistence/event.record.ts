import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Mode } from '../../../../shared/caller.js';

const PRIMARY = { primaryKeyConstraintName: 'events_pkey' };

@Entity('events')
@Unique('events_sequence_key', ['organizationId', 'mode', 'objectId', 'sequence'])
@Index('events_type_list', ['organizationId', 'mode', 'type', 'id'])
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

  @Column('smallint')
  sequence!: number;

  @Column('text')
  data!: string;

  @Column('text', { nullable: true })
  reason!: string | null;
}
