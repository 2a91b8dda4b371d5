import { type DynamicModule, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { hasCitus } from '../citus/citus.js';
import { createDataSource, type DatabaseOptions } from './data-source.js';
import { Database } from './database.js';
import { StoredTraces } from './traces.js';

@Module({})
export class DatabaseModule {
  static register(options: DatabaseOptions): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        { provide: DataSource, useFactory: () => createDataSource(options).initialize() },
        {
          provide: Database,
          useFactory: async (source: DataSource) => new Database(source, await hasCitus(source), options.timeLimits),
          inject: [DataSource],
        },
        StoredTraces,
      ],
      exports: [Database, StoredTraces],
    };
  }
}
