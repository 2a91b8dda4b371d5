import { Column, Entity, PrimaryColumn } from 'typeorm';
import { MODES, type Mode } from '../../../../shared/caller.js';
import { KEY_KINDS, type KeyKind, type Right } from '../../domain/api-key.js';

@Entity('api_keys')
export class ApiKeyRecord {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'organization_id', nullable: true })
  organizationId!: string | null;

  @Column('enum', { enum: KEY_KINDS, enumName: 'key_kind' })
  kind!: KeyKind;

  @Column('enum', { enum: MODES, enumName: 'mode', nullable: true })
  mode!: Mode | null;

  @Column('text')
  holder!: string;

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
