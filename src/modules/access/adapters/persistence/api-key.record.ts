import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Mode } from '../../../../shared/caller.js';
import type { KeyKind, Right } from '../../domain/api-key.js';

@Entity('api_keys')
export class ApiKeyRecord {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'organization_id', nullable: true })
  organizationId!: string | null;

  @Column('text')
  kind!: KeyKind;

  @Column('text', { nullable: true })
  mode!: Mode | null;

  /** The column is null for a key of a version that knew no holders. Its own ID is its holder. */
  @Column('text', { nullable: true })
  holder!: string | null;

  @Column('text', { array: true })
  rights!: readonly Right[];

  @Column('bytea', { select: false })
  digest!: Buffer;

  @Column('text')
  display!: string;

  @Column('text', { name: 'allowed_origins', array: true })
  origins!: readonly string[];

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;

  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;
}
