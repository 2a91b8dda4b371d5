import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Encrypted } from '../../../../persistence/encryption/encrypted-columns.js';
import { MODES, type Mode } from '../../../../shared/caller.js';

/** The ledger's endpoints have a table of their own, without a column for the organization. */
function endpointRecord(table: string, { isOwned }: { isOwned: boolean }) {
  const OrganizationColumn = (): PropertyDecorator =>
    isOwned ? PrimaryColumn('uuid', { name: 'organization_id' }) : () => undefined;

  @Entity(table)
  class EndpointRecord {
    @OrganizationColumn()
    organizationId!: string;

    @PrimaryColumn('enum', { enum: MODES, enumName: 'mode' })
    mode!: Mode;

    @PrimaryColumn('uuid')
    id!: string;

    @Column('smallint')
    place!: number;

    @Column('text')
    url!: string;

    @Column('text')
    receiver!: string;

    @Column('text', { array: true })
    events!: readonly string[];

    @Column('boolean')
    enabled!: boolean;

    @Column('text', { nullable: true })
    description!: string | null;

    @Column('text', { name: 'disabled_reason', nullable: true })
    disabledReason!: string | null;

    @Column('timestamptz', { name: 'failing_since', nullable: true })
    failingSince!: Date | null;

    @Encrypted()
    @Column('bytea')
    secret!: Buffer;

    @Encrypted()
    @Column('bytea', { name: 'previous_secret', nullable: true })
    previousSecret!: Buffer | null;

    @Column('timestamptz', { name: 'previous_secret_expires_at', nullable: true })
    previousSecretExpiresAt!: Date | null;
  }
  return EndpointRecord;
}

export const WebhookEndpointRecord = endpointRecord('webhook_endpoints', { isOwned: true });
export type WebhookEndpointRecord = InstanceType<typeof WebhookEndpointRecord>;
export const LedgerWebhookEndpointRecord = endpointRecord('ledger_webhook_endpoints', {
  isOwned: false,
});
