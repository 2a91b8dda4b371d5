import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Encrypted } from '../../persistence/encryption/encrypted-columns.js';
import { MODES } from '../../shared/caller.js';

@Entity('idempotency_keys')
export class IdempotencyKeyRecord {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('enum', { enum: MODES, enumName: 'mode' })
  mode!: string;

  @PrimaryColumn('text')
  operation!: string;

  @PrimaryColumn('text')
  key!: string;

  @Column('bytea')
  fingerprint!: Buffer;

  @Column('smallint')
  status!: number;

  @Column('text', { nullable: true })
  location!: string | null;

  @Encrypted({ expires: true })
  @Column('text')
  body!: string;

  /** This is the ID of the resource that a response with 2xx shows or changed, if it has one. */
  @Column('uuid', { name: 'resource_id', nullable: true })
  resourceId!: string | null;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
