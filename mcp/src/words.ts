/** Writes the sentences that a model may repeat to a person. */
import type { CheckoutSession } from '../../client/src/index.js';
import { amountText, timeText } from '../../src/modules/page/adapters/representation/formats.js';

export function sessionText(session: CheckoutSession, url: string | undefined): string {
  const { amount_total, currency, metadata, line_items, status, expires_at } = session;
  const lines = line_items.data.map(
    ({ quantity, product_name }) => `${quantity} × ${product_name}`,
  );
  const total = amountText(amount_total, currency, 'en');
  const order = `Order ${metadata.reference}: ${lines.join(', ')}. Total: ${total}.`;
  if (status === 'complete') return `${order} It is complete: nothing is left to pay.`;
  const until = timeText(expires_at, 'en');
  return `${order} To be paid until ${until}${url === undefined ? '' : `, on ${url}`}.`;
}
