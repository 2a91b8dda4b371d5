import { type DynamicModule, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { HAS_CITUS } from '../platform/citus.js';
import { createDataSource, type DatabaseOptions } from './data-source.js';
import { Database } from './database.js';
import { FirstStatistics } from './first-statistics.js';
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
          useFactory: async (dataSource: DataSource) => {
            const [found]: { hasCitus: boolean }[] = await dataSource.query(HAS_CITUS);
            return new Database(dataSource, found?.hasCitus, options.timeLimits);
          },
          inject: [DataSource],
        },
        FirstStatistics,
        StoredTraces,
      ],
      exports: [Database, StoredTraces],
    };
  }
}
