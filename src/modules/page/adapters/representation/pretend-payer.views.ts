import type { CheckoutPage } from '../../application/checkout-page.js';
import { documentView } from './document.views.js';
import { amountText } from './formats.js';
import { html } from './html.js';
import { languageOf } from './language.js';

const ENGLISH = languageOf('en');

/**
 * Shows test mode's pretend payment provider. Only developers see the page, so it is in English.
 */
export function pretendPayerView({ facts }: CheckoutPage, path: string): string {
  const { session, shop } = facts;
  const amount = amountText(session.amountTotal, session.currency, ENGLISH.locale);
  const press = (outcome: string, label: string, kind = 'plain') =>
    html`<button class="${kind}" formaction="${path}/pretend/${outcome}">${label}</button>`;
  return documentView({
    language: ENGLISH,
    title: 'Pretend payment provider',
    isTest: true,
    content: html`<p class="shop">Pretend payment provider</p>
<section class="card">
<h1><bdi>${shop}</bdi></h1>
<p class="amount"><bdi>${amount}</bdi></p>
<p class="muted">In live mode the customer pays at your payment provider.
Choose what happens there.</p>
<form method="post">
${press('pay', 'Pay', '')}
${press('transfer', 'Bank transfer')}
${press('decline', 'Decline')}
${press('leave', 'Walk away')}
</form>
<p class="muted">Bank transfer: the payment is on its way for seven days.
It arrives after two days of the clock of test mode.</p>
</section>`,
  });
}
