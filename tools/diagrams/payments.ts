/** Draws where the money of a payment goes, from the table of the changes of its sums. */
import { AMOUNT_CHANGES, type AmountChange } from '../../src/modules/payments/index.js';
import { flowchart } from './mermaid.js';

/** Each text says when the change happens, in the words of a reader. */
const REASONS: Readonly<Record<AmountChange, string>> = {
  reserve: 'a refund is proposed',
  free: 'it fails or is canceled',
  refund: 'it succeeds',
  refund_unreserved: 'one was made elsewhere',
  take_back: 'the money comes back',
  hold: 'a hold is placed',
  release: 'the hold is released',
};

export function paymentMoney(): string {
  const changes = Object.keys(AMOUNT_CHANGES) as AmountChange[];
  return flowchart(changes.map((name) => ({ ...AMOUNT_CHANGES[name], label: REASONS[name] })));
}
