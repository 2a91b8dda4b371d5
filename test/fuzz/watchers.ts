/** Whatever one organization does, everybody gets answers, webhooks, and lists without holes. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, type Surroundings } from './surroundings.js';
import type { World } from './world.js';

/** Many times what anything takes on a busy machine. */
const PATIENCE_MS = 120_000;
const PRICE = { currency: 'usd', unit_amount: 1, product_data: { name: 'Book' } };

/** Reads a list of the ledger on from where it was. */
class Follower {
  readonly seen = new Set<string>();
  private place = '';

  constructor(
    private readonly url: string,
    private readonly list: string,
  ) {}

  async read(key: string): Promise<void> {
    for (let hasMore = true; hasMore; ) {
      const page = await call(this.url, key, `${this.list}&limit=100${this.place}`);
      for (const one of page.data) this.seen.add(one.data?.object.id ?? one.id);
      const place = page.next_cursor ?? page.data.at(-1)?.id;
      if (place) this.place = `&cursor=${place}`;
      hasMore = page.has_more;
    }
  }
}

export class Watchers {
  private readonly events: Follower;
  private readonly refunds: Follower;

  constructor(private readonly world: World) {
    this.events = new Follower(world.url, '/ledger/v1/events?order=asc');
    this.refunds = new Follower(world.url, '/ledger/v1/refunds?status=pending');
  }

  /** One after the other does something, and the ledger reads on in between. */
  async faults({ callers, ledger }: Surroundings): Promise<string[]> {
    const faults: string[] = [];
    for (const [name, caller] of Object.entries(callers)) {
      const found = this.act(caller, ledger).catch((error) => [`${error.cause ?? error}`]);
      faults.push(...(await found).map((fault) => `${name}: ${fault}`));
    }
    return faults;
  }

  async read(key: string): Promise<void> {
    await Promise.all([this.events.read(key), this.refunds.read(key)]);
  }

  private async act(
    { key, organization, mode }: Surroundings['callers'][keyof Surroundings['callers']],
    ledger: string,
  ): Promise<string[]> {
    const { url, prompt, secure } = this.world;
    const { connections } = secure;
    const path = `/${organization}/${randomUUID()}`;
    // Live mode takes https only: that it comes is seen, not what it says.
    const notify_url = mode === 'live' ? secure.url.replace('http', 'https') : prompt.url + path;
    const body = { currency: 'usd', line_items: [{ price_data: PRICE }], notify_url };
    const session = await call(url, key, '/v1/checkout_sessions', body);
    const faults: string[] = [];
    if (mode === 'test') {
      const paid = { organization, amount: 1, currency: 'usd' };
      const payment = await call(url, ledger, '/ledger/v1/payments', paid);
      const refund = await call(url, key, '/v1/refunds', { payment: payment.id, amount: 1 });
      const isSeen = async () => {
        await this.read(ledger);
        return this.events.seen.has(session.id) && this.refunds.seen.has(refund.id);
      };
      if (!(await within(isSeen))) faults.push('what it does is not seen by a ledger that follows');
    }
    const isTold = () => (mode === 'live' ? secure.connections > connections : prompt.called.has(path));
    if (!(await within(isTold))) faults.push('its webhook does not come');
    return faults;
  }
}

async function within(condition: () => boolean | Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await sleep(50);
  }
  return true;
}
