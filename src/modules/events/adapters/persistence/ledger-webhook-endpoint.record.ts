import { Check, Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import { Encrypted } from '../../../../encryption/encrypted-columns.js';
import type { Mode } from '../../../../shared/caller.js';

const PRIMARY = { primaryKeyConstraintName: 'ledger_webhook_endpoints_pkey' };

@Entity('ledger_webhook_endpoints')
@Unique('ledger_webhook_endpoints_place_key', ['mode', 'place'])
@Check('ledger_webhook_endpoints_mode', `mode IN ('test', 'live')`)
@Check('ledger_webhook_endpoints_place', 'place BETWEEN 1 AND 16')
@Check('ledger_webhook_endpoints_events', 'cardinality(events) > 0')
@Check('ledger_webhook_endpoints_description_length', 'char_length(description) <= 1000')
@Check('ledger_webhook_endpoints_disabled', 'disabled_reason IS NULL OR NOT enabled')
@Check('ledger_webhook_endpoints_previous_secret', '(previous_secret IS NULL) = (previous_secret_expires_at IS NULL)')
export class LedgerWebhookEndpointRecord {
  @PrimaryColumn('text', { ...PRIMARY })
  mode!: Mode;

  @PrimaryColumn('uuid', { ...PRIMARY })
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
