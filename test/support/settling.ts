import { afterEach, beforeEach, jest } from '@jest/globals';
import {
  notThere,
  type Outcome,
  type SettleOptions,
  settle,
  succeeded,
  type Worker,
} from '../../client/src/ledger/index.js';
import type { Service } from '../kit/service.js';
import { lapse } from './leases.js';
import { until } from './processes.js';
import type { Shop } from './shop.js';

/**
 * Captures a payment of the shop for each test, whose refunds the workers of the kit settle. The
 * workers stop after the test.
 */
export function useSettling(service: Service, shop: Shop) {
  const workers: Worker[] = [];
  const paid: string[] = [];
  const outcomes: Outcome[] = [];
  const errors: unknown[] = [];
  let payment: string;

  beforeEach(async () => {
    for (const seen of [workers, paid, outcomes, errors]) seen.length = 0;
    payment = await shop.capture();
  });

  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    jest.restoreAllMocks();
  });

  /** Starts a worker whose provider pays, unless the test says otherwise, and finds nothing. */
  function start({ pay = async () => succeeded(), ...others }: Partial<SettleOptions> = {}) {
    const worker = settle({
      url: service.url,
      key: shop.ledgerKey,
      organization: shop.organization,
      pollSeconds: 0.05,
      pay: (refund, signal) => {
        paid.push(refund.id);
        return pay(refund, signal);
      },
      find: async () => notThere(),
      onOutcome: (_, outcome) => void outcomes.push(outcome),
      onError: (error) => void errors.push(error),
      ...others,
    });
    workers.push(worker);
    return worker;
  }

  const propose = async (amount = 1): Promise<string> =>
    (await shop.propose(payment, amount)).body.id;

  async function proposed(count: number): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < count) ids.push(await propose(ids.length + 1));
    return ids;
  }

  const read = async (id: string) => (await shop.ledgerGet(`/ledger/v1/refunds/${id}`)).body;
  const untilIs = (id: string, status: string) =>
    until(async () => (await read(id)).status === status);

  /** Makes refunds whose worker died. */
  async function abandoned(count = 1): Promise<string[]> {
    const ids = await proposed(count);
    await shop.claim();
    await Promise.all(ids.map((id) => lapse(service, id)));
    return ids;
  }

  return { paid, outcomes, errors, start, propose, proposed, read, untilIs, abandoned };
}
