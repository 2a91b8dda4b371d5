import { Column, Entity, PrimaryColumn } from 'typeorm';
import { MODES, type Mode } from '../../../../shared/caller.js';

@Entity('checkout_pages')
export class CheckoutPageRecord {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('enum', { enum: MODES, enumName: 'mode' })
  mode!: Mode;

  @PrimaryColumn('uuid', { name: 'session_id' })
  session!: string;

  @Column('text', { name: 'payment_url', nullable: true })
  paymentUrl!: string | null;

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt!: Date | null;
}
