import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { Mode } from '../../../../shared/caller.js';
import { CheckoutSessionRecord } from '../../../checkout/index.js';
import type { Mismatch } from '../../domain/payment.js';

const PRIMARY = { primaryKeyConstraintName: 'payments_pkey' };
/** As SQL: TypeORM would quote the number. */
const ZERO = () => '0';

@Entity('payments')
@ForeignKey(
  () => CheckoutSessionRecord,
  ['organizationId', 'mode', 'checkoutSession'],
  ['organizationId', 'mode', 'id'],
  { name: 'payments_checkout_session_fkey' },
)
@Index('payments_checkout_session_key', ['organizationId', 'mode', 'checkoutSession'], {
  unique: true,
  where: 'checkout_session_id IS NOT NULL AND mismatch IS NULL',
})
@Index('payments_checkout_session_list', ['organizationId', 'mode', 'checkoutSession', 'id'], {
  where: 'checkout_session_id IS NOT NULL',
})
@Index('payments_reference_key', ['organizationId', 'mode', 'reference'], {
  unique: true,
  where: 'reference IS NOT NULL',
})
@Index('payments_ledger_list', ['mode', 'id'])
@Index('payments_ledger_reference', ['mode', 'reference', 'id'], { where: 'reference IS NOT NULL' })
@Index('payments_ledger_session', ['mode', 'checkoutSession', 'id'], { where: 'checkout_session_id IS NOT NULL' })
@Index('payments_on_hold', ['organizationId', 'mode', 'currency', 'amountOnHold'], { where: 'amount_on_hold > 0' })
@Check('payments_mode', `mode IN ('test', 'live')`)
@Check('payments_currency', `currency ~ '^[a-z]{3}$'`)
@Check('payments_amount', 'amount BETWEEN 1 AND 999999999999')
@Check('payments_reference_length', 'char_length(reference) BETWEEN 1 AND 255')
@Check('payments_refunded_not_negative', 'amount_refunded >= 0')
@Check('payments_pending_not_negative', 'amount_pending_refund >= 0')
@Check('payments_on_hold_not_negative', 'amount_on_hold >= 0')
@Check('payments_mismatch', `mismatch IN ('session_expired', 'session_complete', 'amount', 'currency')`)
@Check('payments_mismatch_with_session', 'mismatch IS NULL OR checkout_session_id IS NOT NULL')
@Check('payments_held_within_captured', 'amount_refunded + amount_pending_refund + amount_on_hold <= amount')
export class PaymentRecord {
  @PrimaryColumn('uuid', { name: 'organization_id', ...PRIMARY })
  organizationId!: string;

  @PrimaryColumn('text', { ...PRIMARY })
  mode!: Mode;

  @PrimaryColumn('uuid', { ...PRIMARY })
  id!: string;

  @Column('text')
  currency!: string;

  @Column('bigint')
  amount!: number;

  @Column('bigint', { name: 'amount_refunded', default: ZERO })
  amountRefunded!: number;

  @Column('bigint', { name: 'amount_pending_refund', default: ZERO })
  amountPendingRefund!: number;

  @Column('bigint', { name: 'amount_on_hold', default: ZERO })
  amountOnHold!: number;

  @Column('uuid', { name: 'checkout_session_id', nullable: true })
  checkoutSession!: string | null;

  @Column('text', { nullable: true })
  mismatch!: Mismatch | null;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  reference!: string | null;

  /** '' in a row of a version that did not store it (postgres-payments.ts). */
  @Column('text', { name: 'notify_url', nullable: true, default: '' })
  notifyUrl!: string | null;

  @Column('integer', { name: 'version', default: 0 })
  version!: number;
}
