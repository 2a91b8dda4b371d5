import type { NewLineItem } from '../../src/modules/checkout/domain/line-item.js';
import type { NewCheckoutSession } from '../../src/modules/checkout/domain/session-terms.js';

/** A line of 10.00 USD, but for what is given. */
export function newLine(change: Partial<NewLineItem> = {}): NewLineItem {
  return { productName: 'Book', currency: 'usd', unitPrice: 1000, ...change };
}

/** A session with that one line, but for what is given. */
export function newSession(change: Partial<NewCheckoutSession> = {}): NewCheckoutSession {
  return { currency: 'usd', lineItems: [newLine()], ...change };
}
