import { Column, Entity, PrimaryColumn } from 'typeorm';
import { MODES, type Mode } from '../../../../shared/caller.js';
import { HOLD_STATUSES, type HoldStatus } from '../../domain/hold.js';

@Entity('payment_holds')
export class HoldRecord {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('enum', { enum: MODES, enumName: 'mode' })
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

  @Column('enum', { enum: HOLD_STATUSES, enumName: 'hold_status' })
  status!: HoldStatus;
}
