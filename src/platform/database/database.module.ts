import { type DynamicModule, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Announcements } from './announcements.js';
import { createDataSource, type DatabaseOptions } from './data-source.js';
import { Database } from './database.js';
import { Readiness } from './readiness.js';
import { Reconcile } from './reconcile.js';
import { UnitOfWork } from './unit-of-work.js';

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
          useFactory: (dataSource: DataSource) => new Database(dataSource, options.gatherReads),
          inject: [DataSource],
        },
        {
          provide: Announcements,
          useFactory: (database: Database) => new Announcements(database, options.url),
          inject: [Database],
        },
        Readiness,
        Reconcile,
        UnitOfWork,
      ],
      exports: [Announcements, Database, Readiness, Reconcile, UnitOfWork],
    };
  }
}
