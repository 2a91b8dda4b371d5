import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A bank transfer of the pretend payer, which exists in test mode only. */
@Entity('late_payments')
export class LatePaymentRecord {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('text')
  mode!: 'test';

  @PrimaryColumn('uuid', { name: 'session_id' })
  session!: string;

  @Column('timestamptz', { name: 'due_at' })
  dueAt!: Date;
}
