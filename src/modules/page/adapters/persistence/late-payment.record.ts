import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Mode } from '../../../../shared/caller.js';

@Entity('late_payments')
export class LatePaymentRecord {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('text')
  mode!: Mode;

  @PrimaryColumn('uuid', { name: 'session_id' })
  session!: string;

  @Column('timestamptz', { name: 'due_at' })
  dueAt!: Date;
}
