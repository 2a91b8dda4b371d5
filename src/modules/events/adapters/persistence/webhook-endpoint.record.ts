import { Check, Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import { Encrypted } from '../../../../encryption/encrypted-columns.js';
import type { Mode } from '../../../../shared/caller.js';

/** The ledger's endpoints have a table of their own, without a column for the organization. */
function endpointRecord(table: string, { isOwned }: { isOwned: boolean }) {
  const primary = { primaryKeyConstraintName: `${table}_pkey` };
  const OrganizationColumn = (): PropertyDecorator =>
    isOwned ? PrimaryColumn('uuid', { name: 'organization_id', ...primary }) : () => undefined;

  @Entity(table)
  @Unique(`${table}_place_key`, [...(isOwned ? ['organizationId'] : []), 'mode', 'place'])
  @Check(`${table}_mode`, `mode IN ('test', 'live')`)
  @Check(`${table}_place`, 'place BETWEEN 1 AND 16')
  @Check(`${table}_events`, 'cardinality(events) > 0')
  @Check(`${table}_description_length`, 'char_length(description) <= 1000')
  @Check(`${table}_disabled`, 'disabled_reason IS NULL OR NOT enabled')
  @Check(`${table}_previous_secret`, '(previous_secret IS NULL) = (previous_secret_expires_at IS NULL)')
  class EndpointRecord {
    @OrganizationColumn()
    organizationId!: string;

    @PrimaryColumn('text', { ...primary })
    mode!: Mode;

    @PrimaryColumn('uuid', { ...primary })
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
export const LedgerWebhookEndpointRecord = endpointRecord('ledger_webhook_endpoints', { isOwned: false });
