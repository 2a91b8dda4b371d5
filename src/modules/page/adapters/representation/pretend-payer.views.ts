import type { CheckoutPage } from '../../domain/checkout-page.js';
import { documentView } from './document.views.js';
import { amountText } from './formats.js';
import { html } from './html.js';
import { languageOf } from './language.js';

const ENGLISH = languageOf('en');

/** The page of test mode's pretend payment provider. Only developers see it, so it is in English. */
export function pretendPayerView({ facts }: CheckoutPage, path: string, isEmbedded: boolean): string {
  const { session, shop } = facts;
  const press = (outcome: string, label: string, kind = 'plain') =>
    html`<button class="${kind}" formaction="${path}/pretend/${outcome}">${label}</button>`;
  return documentView({
    language: ENGLISH,
    title: 'Pretend payment provider',
    isTest: true,
    isEmbedded,
    content: html`<p class="shop">Pretend payment provider</p>
<section class="card">
<h1><bdi>${shop}</bdi></h1>
<p class="amount"><bdi>${amountText(session.amountTotal, session.currency, ENGLISH.locale)}</bdi></p>
<p class="muted">In live mode the customer pays at your payment provider. Choose what happens there.</p>
<form method="post">
${press('pay', 'Pay', '')}
${press('late', 'Pay late')}
${press('decline', 'Decline')}
${press('leave', 'Walk away')}
</form>
<p class="muted">Pay late: the payment is recorded 5 seconds after the customer has come back.</p>
</section>`,
  });
}
