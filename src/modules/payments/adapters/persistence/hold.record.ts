import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { Mode } from '../../../../shared/caller.js';
import type { HoldStatus } from '../../domain/hold.js';
import { PaymentRecord } from './payment.record.js';

const PRIMARY = { primaryKeyConstraintName: 'payment_holds_pkey' };

@Entity('payment_holds')
@ForeignKey(() => PaymentRecord, ['organizationId', 'mode', 'payment'], ['organizationId', 'mode', 'id'], {
  name: 'payment_holds_payment_fkey',
})
@Index('payment_holds_payment_list', ['organizationId', 'mode', 'payment', 'id'])
@Index('payment_holds_id', ['mode', 'id'])
@Index('payment_holds_ledger_payment', ['mode', 'payment', 'id'])
@Check('payment_holds_mode', `mode IN ('test', 'live')`)
@Check('payment_holds_amount', 'amount BETWEEN 1 AND 999999999999')
@Check('payment_holds_reason_length', 'char_length(reason) <= 500')
@Check('payment_holds_reference_length', 'char_length(reference) BETWEEN 1 AND 255')
@Check('payment_holds_status', `status IN ('active', 'released')`)
export class HoldRecord {
  @PrimaryColumn('uuid', { name: 'organization_id', ...PRIMARY })
  organizationId!: string;

  @PrimaryColumn('text', { ...PRIMARY })
  mode!: Mode;

  @PrimaryColumn('uuid', { ...PRIMARY })
  id!: string;

  @Column('uuid', { name: 'payment_id' })
  payment!: string;

  @Column('bigint')
  amount!: number;

  @Column('text', { nullable: true })
  reason!: string | null;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  reference!: string | null;

  @Column('text')
  status!: HoldStatus;
}
