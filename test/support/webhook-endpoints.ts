/**
 * A test creates endpoints of a merchant or of the ledger at a receiver, and sends events to them.
 */
import { afterEach } from '@jest/globals';
import { useShop } from '../kit/setup.js';
import { type Reply, send } from './client.js';
import { useReceiver, useWebhooks } from './setup.js';

export const SECURE_URL = 'https://shop.example/webhooks';
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** Both have the same operations. An endpoint of the ledger has no organization. */
export const MERCHANT = { name: 'organizations', path: '/v1/webhook_endpoints', isLedger: false };
export const LEDGER = { name: 'the ledger', path: '/ledger/v1/webhook_endpoints', isLedger: true };
export type Surface = typeof MERCHANT;

class Endpoints {
  readonly world = useWebhooks();
  readonly shop = useShop(this.world.service);
  readonly receiver = useReceiver();

  call(
    { path, isLedger }: Surface,
    rest = '',
    body?: object,
    key?: string,
    by = this.shop,
  ): Promise<Reply> {
    return isLedger ? by.ledgerPost(path + rest, body, key) : by.post(path + rest, body, key);
  }

  async create(surface: Surface, body: object = {}) {
    return (await this.call(surface, '', { url: this.receiver.url, ...body })).body;
  }

  async read({ path, isLedger }: Surface, id: string) {
    const { shop } = this;
    return (await (isLedger ? shop.ledgerGet(`${path}/${id}`) : shop.get(`${path}/${id}`))).body;
  }

  remove({ path, isLedger }: Surface, id: string): Promise<Reply> {
    return send('DELETE', `${this.world.service.url}${path}/${id}`, {
      key: isLedger ? this.shop.ledgerKey : this.shop.key,
    });
  }

  async createSession() {
    return (await this.shop.createSession()).body;
  }

  async createdEvent() {
    return (await this.shop.eventsOf((await this.createSession()).id))[0].id;
  }
}

/** Sets a test file up, in which each test has a shop and a receiver, and no endpoint before. */
export function useEndpoints(): Endpoints {
  const endpoints = new Endpoints();
  const { service } = endpoints.world;
  afterEach(() => service.sql.query('DELETE FROM ledger_webhook_endpoints'));
  return endpoints;
}
