import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('page_secrets')
@Check('page_secrets_only_one', 'id = 1')
@Check('page_secrets_length', 'octet_length(secret) = 32')
export class PageSecretRecord {
  @PrimaryColumn('smallint', { primaryKeyConstraintName: 'page_secrets_pkey' })
  id!: number;

  @Column('bytea')
  secret!: Buffer;
}
