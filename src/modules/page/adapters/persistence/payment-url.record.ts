import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Mode } from '../../../../shared/caller.js';

@Entity('payment_urls')
export class PaymentUrlRecord {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('text')
  mode!: Mode;

  @Column('text')
  url!: string;
}
