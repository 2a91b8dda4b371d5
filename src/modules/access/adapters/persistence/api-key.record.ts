import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Mode } from '../../../../shared/caller.js';
import type { KeyKind } from '../../domain/api-key.js';
import { OrganizationRecord } from './organization.record.js';

@Entity('api_keys')
@Unique('api_keys_digest_key', ['digest'])
@Index('api_keys_organization', ['organizationId', 'id'])
@Index('api_keys_allowed_origins', ['allowedOrigins'], { type: 'gin', where: 'revoked_at IS NULL' })
@Check('api_keys_digest_length', 'octet_length(digest) = 32')
@Check('api_keys_mode', `mode IN ('test', 'live')`)
@Check('api_keys_kind', `kind IN ('secret', 'ledger')`)
@Check('api_keys_owner', `(kind = 'secret') = (organization_id IS NOT NULL)`)
export class ApiKeyRecord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'api_keys_pkey' })
  id!: string;

  @ForeignKey(() => OrganizationRecord, { name: 'api_keys_organization_fkey' })
  @Column('uuid', { name: 'organization_id', nullable: true })
  organizationId!: string | null;

  @Column('text')
  kind!: KeyKind;

  @Column('text')
  mode!: Mode;

  @Column('bytea')
  digest!: Buffer;

  @Column('text')
  display!: string;

  @Column('text', { name: 'allowed_origins', array: true, default: [] })
  allowedOrigins!: string[];

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;
}
