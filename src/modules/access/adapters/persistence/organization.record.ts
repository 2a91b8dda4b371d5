import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('organizations')
export class OrganizationRecord {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  @Column('text', { name: 'webhook_secret' })
  webhookSecret!: string;

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

  /** Neither read nor written any more. The next minor version drops the column (docs/operate/upgrading.md). */
  @Column({ type: 'text', select: false, insert: false, update: false })
  residence!: 'here' | 'leaving' | 'gone';
}
