import type { CheckoutPage, PageLine } from '../../domain/checkout-page.js';
import { amountText } from './amounts.js';
import { type Html, html } from './html.js';
import type { Language } from './language.js';

/** The lines and how their amounts make up the total. */
export function orderView({ facts: { session } }: CheckoutPage, { words, locale }: Language): Html {
  const { currency, lineItems, amountSubtotal, amountDiscount, amountShipping, amountTotal } = session;
  const amount = (minor: number) => amountText(minor, currency, locale);
  const tax = (behavior: PageLine['taxBehavior']) =>
    lineItems.filter((line) => line.taxBehavior === behavior).reduce((sum, { amountTax }) => sum + amountTax, 0);
  const row = (name: string, minor: number, kind = '') =>
    html`<div class="${kind}"><dt>${name}</dt><dd><bdi>${amount(minor)}</bdi></dd></div>`;
  const isPlain = amountSubtotal === amountTotal;
  return html`<section class="card" aria-labelledby="order">
<h2 id="order">${words.order}</h2>
<ul>${lineItems.map((line) => lineView(line, amount, words.each))}</ul>
<dl>
${!isPlain && row(words.subtotal, amountSubtotal)}
${amountDiscount > 0 && row(words.discount, -amountDiscount)}
${amountShipping > 0 && row(words.shipping, amountShipping)}
${tax('exclusive') > 0 && row(words.tax, tax('exclusive'))}
${row(words.total, amountTotal, 'sum')}
${tax('inclusive') > 0 && row(words.taxIncluded, tax('inclusive'), 'included')}
</dl>
</section>`;
}

function lineView(line: PageLine, amount: (minor: number) => string, each: string): Html {
  const { productName, description, quantity, unitPrice, amountSubtotal } = line;
  const several = html`<p><bdi>${quantity} × ${amount(unitPrice)}</bdi> ${each}</p>`;
  return html`<li><div><bdi>${productName}</bdi>${description && html`<p><bdi>${description}</bdi></p>`}${quantity > 1 && several}</div><bdi>${amount(amountSubtotal)}</bdi></li>`;
}
