import { Column, Entity, PrimaryColumn } from 'typeorm';

/** For `tillgate doctor`, which does not start the application. */
export const STORED_KEY = 'SELECT key FROM encryption_keys WHERE id = 1';

@Entity('encryption_keys')
export class EncryptionKeyRecord {
  @PrimaryColumn('smallint')
  id!: number;

  @Column('bytea')
  key!: Buffer;
}
