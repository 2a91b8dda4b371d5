/**
 * These functions set up what a test file needs before its tests, and end it after them. The
 * objects that they return are filled when the first test begins.
 */
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { Shop, type ShopOptions } from '../support/shop.js';
import { type Service, type ServiceOptions, startService } from './service.js';

/** Starts the service of a test file. */
export function useService(options: ServiceOptions = {}): Service {
  const service = {} as Service;
  beforeAll(async () => void Object.assign(service, await startService(options)));
  afterAll(() => service.close());
  return service;
}

/** Starts another instance on the same database. It ends before the first one does. */
export function useOther(first: Service, options: ServiceOptions = {}): Service {
  const other = {} as Service;
  beforeAll(async () => {
    Object.assign(other, await startService({ ...options, databaseUrl: first.databaseUrl }));
    const { close } = first;
    Object.assign(first, { close: () => other.close().then(close) });
  });
  return other;
}

/** Opens a new shop for each test, or one for the file with `beforeAll`. */
export function useShop(service: Service, options: ShopOptions = {}, before = beforeEach): Shop {
  const shop: Shop = Object.create(Shop.prototype);
  before(async () => void Object.assign(shop, await Shop.open(service, options)));
  return shop;
}
