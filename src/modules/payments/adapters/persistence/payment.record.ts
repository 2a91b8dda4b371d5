import { Column, Entity, PrimaryColumn } from 'typeorm';
import { MODES, type Mode } from '../../../../shared/caller.js';
import { MISMATCHES, type Mismatch } from '../../domain/payment.js';

@Entity('payments')
export class PaymentRecord {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('enum', { enum: MODES, enumName: 'mode' })
  mode!: Mode;

  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  currency!: string;

  @Column('bigint')
  amount!: number;

  @Column('bigint', { name: 'amount_refunded' })
  amountRefunded!: number;

  @Column('bigint', { name: 'amount_pending_refund' })
  amountPendingRefund!: number;

  @Column('bigint', { name: 'amount_on_hold' })
  amountOnHold!: number;

  @Column('uuid', { name: 'checkout_session_id', nullable: true })
  checkoutSession!: string | null;

  @Column('enum', { enum: Object.keys(MISMATCHES), enumName: 'mismatch', nullable: true })
  mismatch!: Mismatch | null;

  @Column('text', { nullable: true })
  reference!: string | null;

  @Column('text', { name: 'notify_url', nullable: true })
  notifyUrl!: string | null;

  @Column('boolean', { name: 'is_redacted' })
  isRedacted!: boolean;

  @Column('integer')
  version!: number;
}
