import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { Mode } from '../../../../shared/caller.js';
import { CheckoutSessionRecord } from '../../../checkout/index.js';

const PRIMARY = { primaryKeyConstraintName: 'late_payments_pkey' };

@Entity('late_payments')
@ForeignKey(() => CheckoutSessionRecord, ['organizationId', 'mode', 'sessionId'], ['organizationId', 'mode', 'id'], {
  name: 'late_payments_session_fkey',
})
@Check('late_payments_mode', `mode = 'test'`)
@Index('late_payments_due', ['dueAt'])
export class LatePaymentRecord {
  @PrimaryColumn('uuid', { name: 'organization_id', ...PRIMARY })
  organizationId!: string;

  @PrimaryColumn('text', { ...PRIMARY })
  mode!: Mode;

  @PrimaryColumn('uuid', { name: 'session_id', ...PRIMARY })
  sessionId!: string;

  @Column('timestamptz', { name: 'due_at' })
  dueAt!: Date;
}
