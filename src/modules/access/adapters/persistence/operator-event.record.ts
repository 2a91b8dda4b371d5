import { Column, Entity, PrimaryColumn } from 'typeorm';
import { AUTHOR_WAYS, type Author } from '../../../../shared/unit.js';
import type { OperatorEventType } from '../../domain/operator-event.js';

@Entity('operator_events')
export class OperatorEventRecord {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  type!: OperatorEventType;

  @Column('uuid', { name: 'organization_id', nullable: true })
  organizationId!: string | null;

  @Column('text')
  resource!: string;

  @Column('enum', { enum: AUTHOR_WAYS, enumName: 'author_way' })
  via!: Author['via'];

  @Column('text', { name: 'key_id', nullable: true })
  keyId!: string | null;

  @Column('text')
  holder!: string;

  @Column('json')
  changes!: object;
}
