import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('sandbox_clocks')
export class TestClockRecord {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('integer', { name: 'ahead_seconds' })
  aheadSeconds!: number;

  @Column('integer', { name: 'scheduled_seconds' })
  scheduledSeconds!: number;
}
