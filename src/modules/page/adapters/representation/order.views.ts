import { createdAt } from '../../../../shared/id.js';
import type { LineItem } from '../../../checkout/index.js';
import { type CheckoutPage, MAX_LINES } from '../../application/checkout-page.js';
import { amountText, countText, timeText } from './formats.js';
import { type Html, html } from './html.js';
import { filled, type Language } from './language.js';

/**
 * If the lines have more characters, their texts are shortened. They may grow sixfold when they are
 * escaped, and a page stays below 64 KiB.
 */
const MAX_CHARACTERS = 4_000;
const SHORT = MAX_CHARACTERS / MAX_LINES / 2;

export function orderView(
  { state, payment, facts: { session } }: CheckoutPage,
  language: Language,
): Html {
  const { words, locale } = language;
  const { currency, lineItems, lineCount, lineDiscount } = session;
  const { amountSubtotal, amountDiscount, amountShipping, amountTotal } = session;
  const amount = (minor: number) => amountText(minor, currency, locale);
  // Exclusive tax is the rest of the total; the prices include the other tax.
  const taxOnTop = amountTotal - (amountSubtotal - amountDiscount + amountShipping);
  const taxIncluded = session.amountTax - taxOnTop;
  const row = (name: string, value: string | number, kind = '') => {
    const text = typeof value === 'number' ? amount(value) : value;
    return html`<div class="${kind}"><dt>${name}</dt><dd><bdi>${text}</bdi></dd></div>`;
  };
  const isPlain = amountSubtotal === amountTotal;
  const lines = shortened(lineItems);
  const hidden = lineCount - lines.length;
  const more = words.more.replace('{count}', countText(hidden, locale));
  return html`<section class="card" aria-labelledby="order">
<h2 id="order">${words.order}</h2>
<ul>${lines.map((line) => lineView(line, amount, language))}</ul>
${hidden > 0 && html`<p class="muted">${more}</p>`}
<dl>
${!isPlain && row(words.subtotal, amountSubtotal)}
${lineDiscount > 0 && row(words.discount, -lineDiscount)}
${amountDiscount > lineDiscount && row(words.orderDiscount, lineDiscount - amountDiscount)}
${amountShipping > 0 && row(words.shipping, amountShipping)}
${taxOnTop > 0 && row(words.tax, taxOnTop)}
${row(words.total, amountTotal, 'sum')}
${taxIncluded > 0 && row(words.taxIncluded, taxIncluded, 'included')}
${payment !== undefined && row(words.date, timeText(createdAt(payment.id), locale), 'fact')}
${state === 'paid' && row(words.reference, session.id, 'fact')}
${payment !== undefined && row(words.payment, payment.id, 'fact')}
</dl>
</section>`;
}

function shortened(lines: readonly LineItem[]): readonly LineItem[] {
  const characters = lines.reduce(
    (sum, line) => sum + line.productName.length + (line.description?.length ?? 0),
    0,
  );
  if (characters <= MAX_CHARACTERS) return lines;
  return lines.map((line) => ({
    ...line,
    productName: beginning(line.productName),
    description: line.description && beginning(line.description),
  }));
}

/**
 * Returns the beginning of a text. It ends before a character outside the Basic Multilingual Plane
 * rather than inside it.
 */
function beginning(text: string): string {
  return text.length <= SHORT
    ? text
    : `${text.slice(0, SHORT - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

function lineView(
  line: LineItem,
  amount: (minor: number) => string,
  { words, locale }: Language,
): Html {
  const { productName, description, quantity, unitPrice, amountSubtotal } = line;
  const each = { quantity: countText(quantity, locale), amount: amount(unitPrice) };
  const product = html`<bdi>${productName}</bdi>`;
  const about = description && html`<p><bdi>${description}</bdi></p>`;
  const count = quantity > 1 && html`<p>${filled(words.each, each)}</p>`;
  const subtotal = html`<bdi>${amount(amountSubtotal)}</bdi>`;
  return html`<li><div>${product}${about}${count}</div>${subtotal}</li>`;
}
