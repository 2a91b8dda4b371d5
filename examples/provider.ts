/**
 * Stands for the library of your payment provider: it calls the provider of the drill, or without
 * PROVIDER_URL pays at once.
 */
import type { LedgerRefund } from '../client/src/ledger/index.js';
import type { Payout } from './ledger/book.js';

const { PROVIDER_URL } = process.env;
const TIMEOUT_MS = 10_000;
const STATUSES = {
  pending: 'in_flight',
  succeeded: 'paid',
  failed: 'refused',
  returned: 'returned',
} as const;
/**
 * With these words the provider says that nothing was paid and that the caller may try again later.
 * A 503 without them may come from a proxy.
 */
const NOT_NOW = ['no_balance', 'unavailable'];

interface Answer {
  readonly id: string;
  /** Empty for a refund that was made in the provider's dashboard. */
  readonly refund: string;
  readonly payment: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: keyof typeof STATUSES;
  readonly failure_reason: string | null;
}

interface Page {
  readonly data: readonly Answer[];
  readonly has_more: boolean;
  readonly next_cursor: string;
}

/** Rejects if it is not known what the provider did. */
export async function payAtProvider({ id, amount, currency }: LedgerRefund): Promise<Payout> {
  if (!PROVIDER_URL) return { status: 'paid', provider_reference: `book_${id}`, reason: null };
  const headers = { 'content-type': 'application/json', 'idempotency-key': id };
  const body = JSON.stringify({ refund: id, amount, currency });
  const { status, answer } = await ask('', { method: 'POST', headers, body });
  if (status === 200) return payoutOf(answer);
  const { error: reason } = answer;
  if (status === 402) return { status: 'refused', provider_reference: null, reason };
  if (NOT_NOW.includes(reason)) return { status: 'postponed', provider_reference: null, reason };
  throw new Error(`The provider answered ${status}.`);
}

/** Returns undefined if the provider has no payout of the refund. */
export async function findAtProvider(id: string): Promise<Payout | undefined> {
  if (!PROVIDER_URL) return undefined;
  const { status, answer } = await ask(`?refund=${id}`);
  if (status !== 200) throw new Error(`The provider answered ${status}.`);
  return answer.data.map(payoutOf).at(-1);
}

/** Returns the refunds whose payouts have come back. */
export async function returnedByProvider(): Promise<string[]> {
  return (await list('status=returned')).map(({ refund }) => refund).filter(Boolean);
}

export interface MadeElsewhere extends Pick<Answer, 'payment' | 'amount' | 'currency'> {
  readonly reference: string;
  readonly status: Payout['status'];
  readonly reason: string | null;
}

/** Returns the payouts that were made in the provider's dashboard. */
export async function madeElsewhere(): Promise<MadeElsewhere[]> {
  const payouts = await list('refund=');
  return payouts.map(
    ({ id: reference, payment, amount, currency, status, failure_reason: reason }) => {
      return { reference, payment, amount, currency, status: STATUSES[status], reason };
    },
  );
}

/** Reads all pages of the list. */
async function list(query: string, cursor = ''): Promise<readonly Answer[]> {
  if (!PROVIDER_URL) return [];
  const { status, answer } = await ask(`?${query}${cursor}`);
  if (status !== 200) throw new Error(`The provider answered ${status}.`);
  return answer.has_more
    ? [...answer.data, ...(await list(query, `&cursor=${answer.next_cursor}`))]
    : answer.data;
}

async function ask(path: string, request?: RequestInit) {
  const response = await fetch(`${PROVIDER_URL}/refunds${path}`, {
    ...request,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const answer = (await response.json()) as Answer & Page & { error: string };
  return { status: response.status, answer };
}

function payoutOf({ id, status, failure_reason }: Answer): Payout {
  return { status: STATUSES[status], provider_reference: id, reason: failure_reason };
}
