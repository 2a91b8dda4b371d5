import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Encrypted } from '../../../../encryption/encrypted-columns.js';
import type { OrganizationSettings } from '../../domain/organization.js';

@Entity('organizations')
export class OrganizationRecord {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  /** Null for an organization that the platform gave no ID of its own. */
  @Column('text', { nullable: true })
  reference!: string | null;

  @Encrypted()
  @Column('text', { name: 'webhook_secret' })
  webhookSecret!: string;

  @Encrypted()
  @Column('text', { name: 'previous_webhook_secret', nullable: true })
  previousWebhookSecret!: string | null;

  @Column('timestamptz', { name: 'previous_webhook_secret_expires_at', nullable: true })
  previousWebhookSecretExpiresAt!: Date | null;

  @Column('text', { nullable: true })
  contact!: string | null;

  @Column('text', { name: 'terms_url', nullable: true })
  termsUrl!: string | null;

  @Column('text', { name: 'privacy_url', nullable: true })
  privacyUrl!: string | null;

  @Column('text', { name: 'refund_approval' })
  refundApproval!: OrganizationSettings['refundApproval'];

  @Column('integer', { name: 'details_retention_days', nullable: true })
  detailsRetentionDays!: number | null;
}
