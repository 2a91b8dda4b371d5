/** Compares the payouts of a provider, or of a book, with the refunds of Tillgate. */
import { TillgateLedger } from '../client.js';
import { TillgateError } from '../errors.js';
import type { LedgerRefund, SettleOptions } from './settle.js';

/** A payout as the provider or the book has it. */
export interface Payout {
  /**
   * The ID of the refund, `re_…`. None for one that was made elsewhere, such as in the provider's
   * dashboard.
   */
  readonly refund?: string | undefined;
  /** The ID of the payment, `pay_…`. Only `recordPayout` needs it. */
  readonly payment?: string | undefined;
  readonly amount: number;
  readonly currency: string;
  /** `failed` is a payout that was refused or came back. */
  readonly status: 'pending' | 'succeeded' | 'failed';
  /** The provider's ID of the payout. A payout without `refund` is known by it. */
  readonly reference?: string | undefined;
}

export interface ReconcileOptions
  extends Pick<SettleOptions, 'url' | 'key' | 'organization' | 'fetch'> {
  /** The day from which on refunds are read, for example `2026-11-23`. Default: all are. */
  readonly from?: string | undefined;
}

export interface Difference {
  /**
   * `extra` is a payout of no refund, or a second one. `missing` is a refund that was paid or
   * submitted, without a payout. `elsewhere` is a payout that was made elsewhere and is not
   * recorded yet: give it to `recordPayout`.
   */
  readonly kind: 'missing' | 'extra' | 'amount' | 'state' | 'elsewhere';
  readonly refund: string | undefined;
  readonly ours: LedgerRefund | undefined;
  readonly theirs: Payout | undefined;
}

/**
 * Lists what differs between Tillgate and `theirs`, all payouts since the same day in any order.
 * Refunds may be settled meanwhile: ours are read first, and again where they differ. So give a
 * generator, which reads theirs afterwards.
 */
export async function reconcile(
  theirs: Iterable<Payout> | AsyncIterable<Payout>,
  { url: baseUrl, key, from, organization, fetch }: ReconcileOptions,
): Promise<Difference[]> {
  const { refunds } = new TillgateLedger({ baseUrl, key, fetch });
  const ours = new Map<string, LedgerRefund>();
  for await (const refund of refunds.list({ status: 'all', limit: 100, from, organization }))
    ours.set(refund.id, refund);

  const differences: Difference[] = [];
  const { elsewhere, payoutsOf } = await byRefund(theirs, refundsByReference(ours.values()));
  for (const [refund, payouts] of payoutsOf) {
    const [payout, ...further] = effective(payouts);
    const differs = kindOf(ours.get(refund), payout) !== undefined;
    const own = differs
      ? await refunds.retrieve(refund, { organization }).catch(absent)
      : ours.get(refund);
    const kind = kindOf(own, payout);
    if (kind) differences.push({ kind, refund, ours: own, theirs: payout });
    for (const one of further) differences.push({ kind: 'extra', refund, ours: own, theirs: one });
    ours.delete(refund);
  }
  for (const own of ours.values()) {
    if (mustBePaid(own))
      differences.push({ kind: 'missing', refund: own.id, ours: own, theirs: undefined });
  }
  for (const payout of elsewhere)
    differences.push({ kind: 'elsewhere', refund: undefined, ours: undefined, theirs: payout });
  return differences;
}

async function byRefund(
  theirs: Iterable<Payout> | AsyncIterable<Payout>,
  known: ReadonlyMap<string, string>,
) {
  const payoutsOf = new Map<string, Payout[]>();
  const elsewhere: Payout[] = [];
  for await (const payout of theirs) {
    const refund = payout.refund ?? known.get(payout.reference ?? '');
    if (refund !== undefined) payoutsOf.set(refund, [...(payoutsOf.get(refund) ?? []), payout]);
    else if (payout.status === 'succeeded') elsewhere.push(payout);
  }
  return { payoutsOf, elsewhere };
}

/**
 * Finds the refund of each payout by the provider's ID. A refund that has not failed comes first.
 */
function refundsByReference(ours: Iterable<LedgerRefund>): Map<string, string> {
  const known = new Map<string, string>();
  for (const { id, status, provider_reference: reference } of ours) {
    if (reference !== null && (status !== 'failed' || !known.has(reference)))
      known.set(reference, id);
  }
  return known;
}

/** Returns the payouts that move money. If none does, it returns the last one that failed. */
function effective(payouts: readonly Payout[]): [Payout, ...Payout[]] {
  const moving = payouts.filter(({ status }) => status !== 'failed');
  return (moving.length > 0 ? moving : payouts.slice(-1)) as [Payout, ...Payout[]];
}

const STATES = { pending: ['pending'], succeeded: ['succeeded'], failed: ['failed', 'canceled'] };

function kindOf(
  own: LedgerRefund | undefined,
  { amount, currency, status }: Payout,
): Difference['kind'] | undefined {
  if (own === undefined) return 'extra';
  if (own.amount !== amount || own.currency !== currency) return 'amount';
  return STATES[status].includes(own.status) ? undefined : 'state';
}

function mustBePaid({ status, provider_reference }: LedgerRefund): boolean {
  return status === 'succeeded' || (status === 'pending' && provider_reference !== null);
}

/** A 400 means that the ID is not one of Tillgate. */
function absent(error: unknown): undefined {
  if (error instanceof TillgateError && (error.status === 404 || error.status === 400))
    return undefined;
  throw error;
}
