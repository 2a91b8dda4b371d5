/** These functions are like those of test/kit/setup.ts, for tests of Tillgate's own. */
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Service, ServiceOptions } from '../kit/service.js';
import { type Server, serve } from './processes.js';
import { type Behavior, type Receiver, startReceiver } from './receiver.js';
import { Shop, type Twin } from './shop.js';
import { startWebhooks, type Webhooks } from './webhooks.js';

/**
 * Starts two processes of the built service on the database of the first service. They end before
 * it does.
 */
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

/** Starts a service with a clock and a network that the tests control. */
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

/** Starts a new receiver of webhooks for each test. */
export function useReceiver(first?: Behavior): Receiver {
  const receiver = {} as Receiver;
  beforeEach(async () => void Object.assign(receiver, await startReceiver(first)));
  afterEach(() => receiver.close());
  return receiver;
}

/** Opens a new twin for each test, or one for the file with `beforeAll`. */
export function useTwin(service: Service, before = beforeEach): Twin {
  const twin = {} as Twin;
  before(async () => void Object.assign(twin, await Shop.openTwin(service)));
  return twin;
}
