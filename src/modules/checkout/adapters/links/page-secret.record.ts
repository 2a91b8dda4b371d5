import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('page_secrets')
export class PageSecretRecord {
  @PrimaryColumn('smallint')
  id!: number;

  @Column('bytea')
  secret!: Buffer;
}
