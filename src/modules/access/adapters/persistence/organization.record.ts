import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Encrypted } from '../../../../persistence/encryption/encrypted-columns.js';
import { MODES, type Mode } from '../../../../shared/caller.js';
import { type OrganizationSettings, REFUND_APPROVALS } from '../../domain/organization.js';

@Entity('organizations')
export class OrganizationRecord {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  reference!: string | null;

  /**
   * The column is selected by name only, so that an organization can be read even if its secret
   * cannot be decrypted.
   */
  @Encrypted()
  @Column('text', { name: 'webhook_secret', select: false })
  webhookSecret!: string;

  @Encrypted()
  @Column('text', { name: 'previous_webhook_secret', nullable: true, select: false })
  previousWebhookSecret!: string | null;

  @Column('timestamptz', {
    name: 'previous_webhook_secret_expires_at',
    nullable: true,
    select: false,
  })
  previousWebhookSecretExpiresAt!: Date | null;

  @Column('text', { nullable: true })
  contact!: string | null;

  @Column('text', { name: 'terms_url', nullable: true })
  termsUrl!: string | null;

  @Column('text', { name: 'privacy_url', nullable: true })
  privacyUrl!: string | null;

  @Column('enum', { name: 'refund_approval', enum: REFUND_APPROVALS, enumName: 'approval_rule' })
  refundApproval!: OrganizationSettings['refundApproval'];

  @Column('integer', { name: 'details_retention_days', nullable: true })
  detailsRetentionDays!: number | null;

  @Column('boolean', { name: 'unique_references' })
  uniqueReferences!: boolean;
}

@Entity('payment_urls')
export class PaymentUrlRecord {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('enum', { enum: MODES, enumName: 'mode' })
  mode!: Mode;

  @Column('text')
  url!: string;
}
