import type { CheckoutPage, PageLine } from '../../domain/checkout-page.js';
import { amountText } from './amounts.js';
import { type Html, html } from './html.js';
import type { Language } from './language.js';

const MAX_LINES = 20;
/** Together with the texts of the lines, which may grow sixfold when they are escaped, a page stays below 64 KiB. */
const MAX_CHARACTERS = 4_000;
const SHORT = MAX_CHARACTERS / MAX_LINES / 2;

export function orderView({ facts: { session } }: CheckoutPage, { words, locale }: Language): Html {
  const { currency, lineItems, amountSubtotal, amountDiscount, amountShipping, amountTotal } = session;
  const amount = (minor: number) => amountText(minor, currency, locale);
  const tax = (behavior: PageLine['taxBehavior']) =>
    lineItems.filter((line) => line.taxBehavior === behavior).reduce((sum, { amountTax }) => sum + amountTax, 0);
  const row = (name: string, minor: number, kind = '') =>
    html`<div class="${kind}"><dt>${name}</dt><dd><bdi>${amount(minor)}</bdi></dd></div>`;
  const isPlain = amountSubtotal === amountTotal;
  const lines = shortened(lineItems.slice(0, MAX_LINES));
  const hidden = lineItems.length - lines.length;
  return html`<section class="card" aria-labelledby="order">
<h2 id="order">${words.order}</h2>
<ul>${lines.map((line) => lineView(line, amount, words.each))}</ul>
${hidden > 0 && html`<p class="muted">${words.more.replace('{count}', String(hidden))}</p>`}
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

function shortened(lines: readonly PageLine[]): readonly PageLine[] {
  const characters = lines.reduce((sum, line) => sum + line.productName.length + (line.description?.length ?? 0), 0);
  if (characters <= MAX_CHARACTERS) return lines;
  return lines.map((line) => ({
    ...line,
    productName: beginning(line.productName),
    description: line.description && beginning(line.description),
  }));
}

/** Ends before a character outside the Basic Multilingual Plane rather than inside it. */
function beginning(text: string): string {
  return text.length <= SHORT ? text : `${text.slice(0, SHORT - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

function lineView(line: PageLine, amount: (minor: number) => string, each: string): Html {
  const { productName, description, quantity, unitPrice, amountSubtotal } = line;
  const several = html`<p><bdi>${quantity} × ${amount(unitPrice)}</bdi> ${each}</p>`;
  return html`<li><div><bdi>${productName}</bdi>${description && html`<p><bdi>${description}</bdi></p>`}${quantity > 1 && several}</div><bdi>${amount(amountSubtotal)}</bdi></li>`;
}
