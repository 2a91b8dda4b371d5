import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Encrypted } from '../encryption/encrypted-columns.js';

@Entity('idempotency_keys')
@Index('idempotency_keys_expiry', ['expiresAt'])
@Check('idempotency_keys_mode', `mode IN ('test', 'live')`)
@Check('idempotency_keys_key_length', 'char_length(key) BETWEEN 1 AND 255')
@Check('idempotency_keys_fingerprint_length', 'octet_length(fingerprint) = 32')
@Check('idempotency_keys_ahead', 'ahead_seconds BETWEEN 0 AND 34560000')
@Check('idempotency_keys_status', 'status IN (200, 201, 404, 422)')
export class IdempotencyKeyRecord {
  @PrimaryColumn('uuid', { name: 'organization_id', primaryKeyConstraintName: 'idempotency_keys_pkey' })
  organizationId!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'idempotency_keys_pkey' })
  mode!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'idempotency_keys_pkey' })
  operation!: string;

  @PrimaryColumn('text', { collation: 'C', primaryKeyConstraintName: 'idempotency_keys_pkey' })
  key!: string;

  @Column('bytea')
  fingerprint!: Buffer;

  @Column('smallint')
  status!: number;

  @Column('text', { nullable: true })
  location!: string | null;

  @Encrypted()
  @Column('text')
  body!: string;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  /** How far the caller's test clock was ahead. Null for a response that an earlier version stored. */
  @Column('integer', { name: 'ahead_seconds', nullable: true })
  aheadSeconds!: number | null;
}
