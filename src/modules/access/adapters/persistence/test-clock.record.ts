import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('sandbox_clocks')
@Check('sandbox_clocks_ahead', 'ahead_seconds BETWEEN 0 AND 34560000')
@Check('sandbox_clocks_scheduled', 'scheduled_seconds BETWEEN 0 AND ahead_seconds')
export class TestClockRecord {
  @PrimaryColumn('uuid', { name: 'organization_id', primaryKeyConstraintName: 'sandbox_clocks_pkey' })
  organizationId!: string;

  @Column('integer', { name: 'ahead_seconds' })
  aheadSeconds!: number;

  @Column('integer', { name: 'scheduled_seconds' })
  scheduledSeconds!: number;
}
