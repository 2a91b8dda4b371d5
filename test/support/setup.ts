/** Services that a test file starts before its tests and ends after them: the objects are filled when the first test begins. */
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { type Server, serve } from './processes.js';
import { type Service, type ServiceOptions, startService } from './service.js';
import { Shop, type ShopOptions, type Twin } from './shop.js';
import { startWebhooks, type Webhooks } from './webhooks.js';

/** The service of a test file. */
export function useService(options: ServiceOptions = {}): Service {
  const service = {} as Service;
  beforeAll(async () => void Object.assign(service, await startService(options)));
  afterAll(() => service.close());
  return service;
}

/** Another instance on the same database. It ends before the first one does. */
export function useOther(first: Service, options: ServiceOptions = {}): Service {
  const other = {} as Service;
  beforeAll(async () => {
    Object.assign(other, await startService({ ...options, databaseUrl: first.databaseUrl }));
    const { close } = first;
    Object.assign(first, { close: () => other.close().then(close) });
  });
  return other;
}

/** Two processes of the built service on the database of the first one. They end before it does. */
export function useProcesses(service: Service): Server[] {
  const processes: Server[] = [];
  beforeAll(async () => {
    processes.push(...(await Promise.all([1, 2].map(() => serve(service.databaseUrl)))));
    const { close } = service;
    const stop = () => Promise.all(processes.map((one) => one.stop('SIGKILL')));
    Object.assign(service, { close: () => stop().then(close) });
  });
  return processes;
}

/** A service with a clock and a network that the tests control. */
export function useWebhooks(options: ServiceOptions = {}): Webhooks {
  const world = { service: {} } as Webhooks;
  beforeAll(async () => {
    const { service, ...rest } = await startWebhooks(options);
    Object.assign(world.service, service);
    Object.assign(world, rest);
  });
  afterAll(() => world.service.close());
  return world;
}

/** A new shop for each test, or with `beforeAll` for the file. */
export function useShop(service: Service, options: ShopOptions = {}, before = beforeEach): Shop {
  const shop: Shop = Object.create(Shop.prototype);
  before(async () => void Object.assign(shop, await Shop.open(service, options)));
  return shop;
}

/** A new twin for each test, or with `beforeAll` for the file. */
export function useTwin(service: Service, before = beforeEach): Twin {
  const twin = {} as Twin;
  before(async () => void Object.assign(twin, await Shop.openTwin(service)));
  return twin;
}
