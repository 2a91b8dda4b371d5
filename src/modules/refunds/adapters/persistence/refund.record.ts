import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { Mode } from '../../../../shared/caller.js';
import { PaymentRecord } from '../../../payments/index.js';
import type { RefundStatus } from '../../domain/refund.js';

const PRIMARY = { primaryKeyConstraintName: 'refunds_pkey' };

/** As SQL: TypeORM would quote it differently. */
const EPOCH = () => `to_timestamp(0)`;

@Entity('refunds')
@ForeignKey(() => PaymentRecord, ['organizationId', 'mode', 'payment'], ['organizationId', 'mode', 'id'], {
  name: 'refunds_payment_fkey',
})
@Index('refunds_payment_list', ['organizationId', 'mode', 'payment', 'id'])
@Index('refunds_status_list', ['organizationId', 'mode', 'status', 'id'])
@Index('refunds_ledger_list', ['mode', 'status', 'id'])
@Index('refunds_ledger_all', ['mode', 'id'])
@Index('refunds_ledger_payment', ['mode', 'payment', 'id'])
@Index('refunds_claim_turns', ['mode', 'organizationId', 'claimableAt', 'id'], { where: `status = 'pending'` })
@Index('refunds_reference_key', ['organizationId', 'mode', 'reference'], {
  unique: true,
  where: 'reference IS NOT NULL',
})
@Check('refunds_claim', `claim_expires_at IS NULL OR (status = 'pending' AND claim_number > 0)`)
@Check('refunds_failure_reason', `status = 'failed' OR failure_reason IS NULL`)
@Check('refunds_failure_reason_length', 'char_length(failure_reason) <= 500')
@Check('refunds_reference_length', 'char_length(reference) BETWEEN 1 AND 255')
@Check('refunds_description_length', 'char_length(description) <= 500')
@Check('refunds_provider_reference_length', 'char_length(provider_reference) BETWEEN 1 AND 255')
@Check('refunds_lapses', 'lapses >= 0')
@Check('refunds_mode', `mode IN ('test', 'live')`)
@Check('refunds_amount', 'amount BETWEEN 1 AND 999999999999')
@Check('refunds_currency', `currency ~ '^[a-z]{3}$'`)
@Check('refunds_status', `status IN ('pending', 'succeeded', 'failed', 'canceled')`)
export class RefundRecord {
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

  @Column('text')
  currency!: string;

  @Column('text')
  status!: RefundStatus;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  reference!: string | null;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column({ type: 'text', name: 'provider_reference', nullable: true, collation: 'C' })
  providerReference!: string | null;

  @Column('text', { name: 'failure_reason', nullable: true })
  failureReason!: string | null;

  @Column('integer', { name: 'claim_number', default: 0 })
  claimNumber!: number;

  @Column('timestamptz', { name: 'claim_expires_at', nullable: true })
  claimExpiresAt!: Date | null;

  @Column('integer', { default: 0 })
  lapses!: number;

  @Column('timestamptz', { name: 'claimable_at', default: EPOCH })
  claimableAt!: Date;
}
