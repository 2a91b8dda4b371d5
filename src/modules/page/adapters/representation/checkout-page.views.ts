import type { CheckoutPage } from '../../domain/checkout-page.js';
import { amountText } from './amounts.js';
import { documentView } from './document.views.js';
import { type Html, html } from './html.js';
import { filled, type Language } from './language.js';
import { orderView } from './order.views.js';

export interface Showing {
  readonly language: Language;
  /** The path of the page. The paths of its other routes begin with it. */
  readonly path: string;
  /** Whether the customer has returned from paying. Then the page waits for the payment. */
  readonly isReturn: boolean;
  readonly isDeclined: boolean;
  /** Origins whose pages may show this one in a frame. Undefined for a hosted page. */
  readonly framers?: readonly string[] | undefined;
}

/** The HTML of the page in its state. */
export function checkoutPageView(page: CheckoutPage, showing: Showing): string {
  const { state, facts } = page;
  const { language, path, framers, isReturn } = showing;
  const waits = state === 'being_paid' || state === 'being_settled' || (isReturn && state === 'open');
  const isOpen = VIEWS[state] === openView && !waits;
  const isFinal = state === 'paid' || state === 'expired';
  return documentView({
    language,
    title: filled(language.words.title, { shop: facts.shop }),
    isTest: facts.caller.mode === 'test',
    isEmbedded: framers !== undefined,
    waits,
    data: {
      state,
      session: facts.session.id,
      watch: isFinal ? undefined : `${path}/state`,
      waits: waits ? 'yes' : undefined,
      expires: isFinal ? undefined : String(facts.session.expiresAt),
      origins: framers?.join(' ') || undefined,
      onward: page.onward ?? undefined,
    },
    content: html`${isOpen || html`<p class="shop"><bdi>${facts.shop}</bdi></p>`}
${waits ? waitingView(page, showing) : VIEWS[state](page, showing)}
${state !== 'expired' && orderView(page, language)}
${!isFinal && backView(page, showing)}`,
  });
}

type View = (page: CheckoutPage, showing: Showing) => Html;

const VIEWS: Readonly<Record<CheckoutPage['state'], View>> = {
  open: openView,
  nothing_to_pay: openView,
  being_paid: waitingView,
  being_settled: waitingView,
  paid: paidView,
  expired: expiredView,
};

function openView(page: CheckoutPage, { language, path, isDeclined }: Showing): Html {
  const { words, locale } = language;
  const { session, shop } = page.facts;
  const amount = amountText(session.amountTotal, session.currency, locale);
  const isFree = page.state === 'nothing_to_pay';
  const hasPlace = isFree || page.placeToPay !== undefined;
  const label = isFree ? words.complete : filled(words.pay, { amount });
  return html`<section class="card">
<h1>${filled(words.title, { shop })}</h1>
<p class="amount"><bdi>${amount}</bdi></p>
${session.description && html`<p class="description"><bdi>${session.description}</bdi></p>`}
${isFree && html`<p>${words.nothingToPay}</p>`}
${isDeclined && html`<p class="alert" role="alert">${words.declined}</p>`}
${hasPlace ? payForm(page, path, label) : html`<p class="alert">${filled(words.noPlaceToPay, { shop })}</p>`}
</section>`;
}

/** The shop's payment URL opens in the whole window, because it may forbid frames. */
function payForm(page: CheckoutPage, path: string, label: string, kind = ''): Html {
  const target = typeof page.placeToPay === 'object' && html` target="_top"`;
  return html`<form method="post" action="${path}/pay"${target}><button class="${kind}">${label}</button></form>`;
}

function waitingView(page: CheckoutPage, { language: { words }, path }: Showing): Html {
  const { shop } = page.facts;
  if (page.state === 'being_settled') {
    return html`<section class="card" role="status"><div class="wait"></div>
<h1>${words.paid}</h1><p>${filled(words.beingSettled, { shop })}</p></section>`;
  }
  return html`<section class="card"><div role="status"><div class="wait"></div>
<h1>${words.beingPaid}</h1><p>${words.beingPaidMore}</p></div>
${page.placeToPay && html`<p class="muted">${words.notPaidYet}</p>${payForm(page, path, words.payAgain, 'plain')}`}
</section>`;
}

const CHECK_MARK = html`<svg class="mark" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true"><circle cx="12" cy="12" r="10"/><path d="m7.5 12.5 3 3 6-6.5" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

function paidView(page: CheckoutPage, { language: { words }, framers }: Showing): Html {
  const { shop, session } = page.facts;
  const more = filled(session.amountTotal === 0 ? words.freeMore : words.paidMore, { shop });
  const target = framers && html` target="_top"`;
  const link = html`<a class="button" href="${page.onward}"${target}>${filled(words.onward, { shop })}</a>`;
  return html`<section class="card">${CHECK_MARK}<h1>${words.paid}</h1><p>${more}</p>${page.onward && link}</section>`;
}

function expiredView(page: CheckoutPage, { language: { words }, framers }: Showing): Html {
  const { shop } = page.facts;
  const target = framers && html` target="_top"`;
  const link = html`<a class="button" href="${page.back}"${target}>${filled(words.back, { shop })}</a>`;
  return html`<section class="card"><h1>${words.expired}</h1><p>${filled(words.expiredMore, { shop })}</p>${page.back && link}</section>`;
}

function backView(page: CheckoutPage, { language: { words }, framers }: Showing): Html | false {
  if (page.back === null || page.state === 'being_settled') return false;
  const target = framers && html` target="_top"`;
  return html`<p class="back"><a href="${page.back}"${target}>${filled(words.back, { shop: page.facts.shop })}</a></p>`;
}
