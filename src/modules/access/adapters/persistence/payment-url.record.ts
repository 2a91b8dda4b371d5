import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Mode } from '../../../../shared/caller.js';

/** Where the sessions of an organization are paid that have no payment URL of their own. */
@Entity('payment_urls')
export class PaymentUrlRecord {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('text')
  mode!: Mode;

  @Column('text')
  url!: string;
}
