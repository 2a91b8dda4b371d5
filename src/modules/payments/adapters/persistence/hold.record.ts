import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Mode } from '../../../../shared/caller.js';
import type { HoldStatus } from '../../domain/hold.js';

@Entity('payment_holds')
export class HoldRecord {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('text')
  mode!: Mode;

  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'payment_id' })
  payment!: string;

  @Column('bigint')
  amount!: number;

  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('text', { nullable: true })
  reference!: string | null;

  @Column('text')
  status!: HoldStatus;
}
