import type { NewLineItem } from '../../src/modules/checkout/domain/line-item.js';
import type { NewCheckoutSession } from '../../src/modules/checkout/domain/session-terms.js';

/** Returns a line of 10.00 USD, with the given changes. */
export function newLine(change: Partial<NewLineItem> = {}): NewLineItem {
  return { productName: 'Book', currency: 'usd', unitPrice: 1000, ...change };
}

/** Returns a session with that one line, with the given changes. */
export function newSession(change: Partial<NewCheckoutSession> = {}): NewCheckoutSession {
  return { currency: 'usd', lineItems: [newLine()], ...change };
}
