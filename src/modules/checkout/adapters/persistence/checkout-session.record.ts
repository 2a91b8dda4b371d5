import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Mode } from '../../../../shared/caller.js';
import type { PaymentStatus, SessionStatus } from '../../domain/checkout-session.js';
import type { LineItem } from '../../domain/line-item.js';
import type { UiMode } from '../../domain/session-terms.js';

/** Spread for each column, because TypeORM writes the column's type into its options object. */
const PRIMARY = { primaryKeyConstraintName: 'checkout_sessions_pkey' };

@Entity('checkout_sessions')
@Index('checkout_sessions_status_list', ['organizationId', 'mode', 'status', 'id'])
@Index('checkout_sessions_own_expiry', ['organizationId', 'mode', 'expiresAt'], { where: `status = 'open'` })
@Index('checkout_sessions_open_expiry', ['expiresAt'], { where: `status = 'open'` })
@Check('checkout_sessions_mode', `mode IN ('test', 'live')`)
@Check('checkout_sessions_ui_mode', `ui_mode IN ('hosted', 'embedded')`)
@Check('checkout_sessions_status', `status IN ('open', 'complete', 'expired')`)
@Check('checkout_sessions_payment_status', `payment_status IN ('unpaid', 'paid', 'no_payment_required')`)
@Check(
  'checkout_sessions_paid_is_complete',
  `(payment_status <> 'paid' OR status = 'complete') AND (payment_status <> 'unpaid' OR status <> 'complete')`,
)
@Check('checkout_sessions_nothing_to_pay', `(payment_status = 'no_payment_required') = (amount_total = 0)`)
@Check('checkout_sessions_currency', `currency ~ '^[a-z]{3}$'`)
@Check(
  'checkout_sessions_amounts',
  `amount_subtotal BETWEEN 0 AND 999999999999 AND amount_discount BETWEEN 0 AND amount_subtotal
    AND amount_shipping BETWEEN 0 AND 999999999999 AND amount_tax BETWEEN 0 AND 999999999999
    AND amount_total BETWEEN amount_subtotal - amount_discount + amount_shipping
      AND least(999999999999, amount_subtotal - amount_discount + amount_shipping + amount_tax)`,
)
export class CheckoutSessionRecord {
  @PrimaryColumn('uuid', { name: 'organization_id', ...PRIMARY })
  organizationId!: string;

  @PrimaryColumn('text', { ...PRIMARY })
  mode!: Mode;

  @PrimaryColumn('uuid', { ...PRIMARY })
  id!: string;

  @Column('text', { name: 'ui_mode' })
  uiMode!: UiMode;

  @Column('text')
  status!: SessionStatus;

  @Column('text', { name: 'payment_status' })
  paymentStatus!: PaymentStatus;

  @Column('text')
  currency!: string;

  @Column('bigint', { name: 'amount_subtotal' })
  amountSubtotal!: number;

  @Column('bigint', { name: 'amount_discount' })
  amountDiscount!: number;

  @Column('bigint', { name: 'amount_shipping' })
  amountShipping!: number;

  @Column('bigint', { name: 'amount_tax' })
  amountTax!: number;

  @Column('bigint', { name: 'amount_total' })
  amountTotal!: number;

  @Column('text', { name: 'success_url', nullable: true })
  successUrl!: string | null;

  @Column('text', { name: 'cancel_url', nullable: true })
  cancelUrl!: string | null;

  @Column('text', { name: 'return_url', nullable: true })
  returnUrl!: string | null;

  @Column('text', { name: 'notify_url', nullable: true })
  notifyUrl!: string | null;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text', { name: 'customer_email', nullable: true })
  customerEmail!: string | null;

  @Column('text', { nullable: true })
  locale!: string | null;

  @Column('json')
  metadata!: Readonly<Record<string, string>>;

  @Column('json', { name: 'line_items' })
  lineItems!: readonly LineItem[];

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
