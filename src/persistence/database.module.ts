import { type DynamicModule, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { hasCitus } from '../citus/citus.js';
import { Owners } from '../shared/caller.js';
import { createDataSource, type DatabaseOptions } from './data-source.js';
import { Database } from './database.js';
import { StoredOwners } from './owners.js';
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
          useFactory: async (dataSource: DataSource) =>
            new Database(dataSource, await hasCitus(dataSource), options.timeLimits),
          inject: [DataSource],
        },
        { provide: Owners, useClass: StoredOwners },
        StoredTraces,
      ],
      exports: [Database, Owners, StoredTraces],
    };
  }
}
