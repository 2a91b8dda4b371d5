import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { Mode } from '../../../../shared/caller.js';
import { CheckoutSessionRecord } from '../../../checkout/index.js';

const PRIMARY = { primaryKeyConstraintName: 'checkout_pages_pkey' };

@Entity('checkout_pages')
@ForeignKey(() => CheckoutSessionRecord, ['organizationId', 'mode', 'sessionId'], ['organizationId', 'mode', 'id'], {
  name: 'checkout_pages_session_fkey',
})
@Check('checkout_pages_mode', `mode IN ('test', 'live')`)
@Check('checkout_pages_payment_url', `payment_url ~* '^https?://'`)
export class CheckoutPageRecord {
  @PrimaryColumn('uuid', { name: 'organization_id', ...PRIMARY })
  organizationId!: string;

  @PrimaryColumn('text', { ...PRIMARY })
  mode!: Mode;

  @PrimaryColumn('uuid', { name: 'session_id', ...PRIMARY })
  sessionId!: string;

  @Column('text', { name: 'payment_url', nullable: true })
  paymentUrl!: string | null;

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt!: Date | null;
}
