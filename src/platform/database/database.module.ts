import { type DynamicModule, Module } from '@nestjs/common';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { Transaction } from '../../shared/transaction.js';
import { createDataSource } from './data-source.js';
import { Database } from './database.js';

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Every module's `*.record.ts` classes. */
  readonly records: NonNullable<DataSourceOptions['entities']>;
}

@Module({})
export class DatabaseModule {
  static register({ url, poolSize, records }: DatabaseOptions): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        { provide: DataSource, useFactory: () => createDataSource(url, poolSize, records).initialize() },
        Database,
        { provide: Transaction, useExisting: Database },
      ],
      exports: [Database, Transaction],
    };
  }
}
