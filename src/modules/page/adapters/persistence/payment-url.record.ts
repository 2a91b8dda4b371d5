import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { Mode } from '../../../../shared/caller.js';
import { OrganizationRecord } from '../../../access/index.js';

const PRIMARY = { primaryKeyConstraintName: 'payment_urls_pkey' };

@Entity('payment_urls')
@Check('payment_urls_mode', `mode IN ('test', 'live')`)
@Check('payment_urls_url', `url ~* '^https?://'`)
export class PaymentUrlRecord {
  @ForeignKey(() => OrganizationRecord, { name: 'payment_urls_organization_fkey' })
  @PrimaryColumn('uuid', { name: 'organization_id', ...PRIMARY })
  organizationId!: string;

  @PrimaryColumn('text', { ...PRIMARY })
  mode!: Mode;

  @Column('text')
  url!: string;
}
