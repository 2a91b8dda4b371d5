import { Column, Entity, PrimaryColumn } from 'typeorm';
import { MODES, type Mode } from '../../../../shared/caller.js';
import {
  PAYMENT_STATUSES,
  type PaymentStatus,
  SESSION_STATUSES,
  type SessionStatus,
} from '../../domain/checkout-session.js';
import type { LineItem } from '../../domain/line-item.js';
import { UI_MODES, type UiMode } from '../../domain/session-terms.js';

@Entity('checkout_sessions')
export class CheckoutSessionRecord {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('enum', { enum: MODES, enumName: 'mode' })
  mode!: Mode;

  @PrimaryColumn('uuid')
  id!: string;

  @Column('enum', { name: 'ui_mode', enum: UI_MODES, enumName: 'ui_mode' })
  uiMode!: UiMode;

  @Column('enum', { enum: SESSION_STATUSES, enumName: 'session_status' })
  status!: SessionStatus;

  @Column('enum', { name: 'payment_status', enum: PAYMENT_STATUSES, enumName: 'payment_status' })
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

  /** The column is set while money is on its way: it is when the session would have expired. */
  @Column('timestamptz', { name: 'original_expires_at', nullable: true })
  originalExpiresAt!: Date | null;

  @Column('integer')
  awaits!: number;

  @Column('boolean', { name: 'is_redacted' })
  isRedacted!: boolean;

  @Column('text', { name: 'unique_reference', nullable: true })
  uniqueReference!: string | null;
}
