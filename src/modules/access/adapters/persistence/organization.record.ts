import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('organizations')
@Check('organizations_name_length', 'char_length(name) BETWEEN 1 AND 255')
export class OrganizationRecord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'organizations_pkey' })
  id!: string;

  @Column('text')
  name!: string;

  @Column('text', { name: 'webhook_secret' })
  webhookSecret!: string;
}
