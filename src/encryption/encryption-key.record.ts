import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** For `tillgate doctor`, which does not start the application. */
export const STORED_KEY = 'SELECT key FROM encryption_keys WHERE id = 1';

@Entity('encryption_keys')
@Check('encryption_keys_key_length', 'octet_length(key) = 32')
export class EncryptionKeyRecord {
  @PrimaryColumn('smallint', { primaryKeyConstraintName: 'encryption_keys_pkey' })
  id!: number;

  @Column('bytea')
  key!: Buffer;
}
