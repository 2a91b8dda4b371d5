/** Records a payout that was made without a refund of Tillgate. */
import { TillgateLedger } from '../client.js';
import type { Payout, ReconcileOptions } from './reconcile.js';
import type { LedgerRefund } from './settle.js';

/**
 * Records a payout that was made elsewhere as a refund of its payment. Safe to repeat: the
 * provider's ID of the payout is known from then on. Rejects with `refund_exceeds_remaining` while
 * a pending refund has reserved the money.
 */
export async function recordPayout(
  { payment, amount, currency, status, reference }: Payout,
  { url: baseUrl, key, fetch }: Pick<ReconcileOptions, 'url' | 'key' | 'fetch'>,
): Promise<LedgerRefund> {
  if (payment === undefined || reference === undefined)
    throw new TypeError('A payout has a payment and a reference.');
  if (status !== 'succeeded') throw new TypeError(`${reference} is ${status}, not succeeded.`);
  const { payments, refunds } = new TillgateLedger({ baseUrl, key, fetch });
  const paid = await payments.retrieve(payment);
  if (currency !== paid.currency)
    throw new TypeError(`${reference} is in ${currency}, ${payment} in ${paid.currency}.`);
  return refunds.record({
    organization: paid.organization,
    payment,
    amount,
    provider_reference: reference,
  });
}
