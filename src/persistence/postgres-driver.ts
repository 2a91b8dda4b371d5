/**
 * TypeORM loads its drivers of 17 databases. This file takes the place of what loads them, and
 * knows PostgreSQL alone. It has an effect where it is imported before anything that imports
 * TypeORM. Elsewhere TypeORM works all the same, and loads all drivers.
 */
import { createRequire, Module } from 'node:module';
import type { DataSource } from 'typeorm';

const require = createRequire(import.meta.url);
const factory = require.resolve('typeorm/driver/DriverFactory.js');

class DriverFactory {
  create(dataSource: DataSource): DataSource['driver'] {
    const { PostgresDriver } = require('typeorm/driver/postgres/PostgresDriver.js');
    return new PostgresDriver(dataSource);
  }
}

require.cache[factory] ??= Object.assign(new Module(factory), {
  exports: { DriverFactory },
  loaded: true,
});
