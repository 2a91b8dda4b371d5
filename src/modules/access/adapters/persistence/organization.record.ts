import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('organizations')
@Check('organizations_name_length', 'char_length(name) BETWEEN 1 AND 255')
@Check('organizations_residence', `residence IN ('here', 'leaving', 'gone')`)
@Check(
  'organizations_previous_webhook_secret',
  '(previous_webhook_secret IS NULL) = (previous_webhook_secret_expires_at IS NULL)',
)
export class OrganizationRecord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'organizations_pkey' })
  id!: string;

  @Column('text')
  name!: string;

  @Column('text', { name: 'webhook_secret' })
  webhookSecret!: string;

  @Column('text', { name: 'previous_webhook_secret', nullable: true })
  previousWebhookSecret!: string | null;

  @Column('timestamptz', { name: 'previous_webhook_secret_expires_at', nullable: true })
  previousWebhookSecretExpiresAt!: Date | null;

  /** Neither read nor written any more. The next minor version drops the column (docs/operate/upgrading.md). */
  @Column({ type: 'text', default: 'here', select: false, insert: false, update: false })
  residence!: 'here' | 'leaving' | 'gone';
}
