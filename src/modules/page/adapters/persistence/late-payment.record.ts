import { Column, Entity, PrimaryColumn } from 'typeorm';
import { MODES, type Mode } from '../../../../shared/caller.js';

@Entity('late_payments')
export class LatePaymentRecord {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('enum', { enum: MODES, enumName: 'mode' })
  mode!: Mode;

  @PrimaryColumn('uuid', { name: 'session_id' })
  session!: string;

  @Column('timestamptz', { name: 'due_at' })
  dueAt!: Date;
}
