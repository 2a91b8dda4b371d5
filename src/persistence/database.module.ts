import { type DynamicModule, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { hasCitus } from '../citus/citus.js';
import { Connections } from '../engine/index.js';
import { createDataSource, type DatabaseOptions } from './data-source.js';
import { Database } from './database.js';
import { StoredTraces } from './traces.js';

@Module({})
export class DatabaseModule {
  static register({ gatherReads, ...options }: DatabaseOptions & { gatherReads: boolean }): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        { provide: DataSource, useFactory: () => createDataSource(options).initialize() },
        {
          provide: Connections,
          useFactory: async (dataSource: DataSource) =>
            new Connections(dataSource, gatherReads, await hasCitus(dataSource), options.timeLimits),
          inject: [DataSource],
        },
        Database,
        StoredTraces,
      ],
      exports: [Database, StoredTraces],
    };
  }
}
