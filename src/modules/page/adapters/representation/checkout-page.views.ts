import {
  type CheckoutPage,
  PATIENCE_SECONDS,
  type PageView,
  type Visit,
} from '../../application/checkout-page.js';
import { documentView, footerView } from './document.views.js';
import { amountText, timeText } from './formats.js';
import { type Html, html } from './html.js';
import { filled, type Language } from './language.js';
import { orderView } from './order.views.js';
import type { Words } from './words/en.js';

export interface Presentation {
  readonly language: Language;
  /** This is the path of the page. The paths of its other routes begin with it. */
  readonly path: string;
  readonly payPath: string;
  readonly visit: Visit;
  readonly waitedSeconds: number;
  /** Pages of these origins may show this one in a frame. It is undefined for a hosted page. */
  readonly frameOrigins?: readonly string[] | undefined;
}

interface Shown extends Presentation {
  /**
   * The heading says the state in words. It is also the title, which tabs show and screen readers
   * say first.
   */
  readonly heading: string;
}

interface View {
  readonly heading: keyof Words;
  readonly content: (page: CheckoutPage, shown: Shown) => Html;
}

export function checkoutPageView(page: CheckoutPage, presentation: Presentation): string {
  const { state, facts } = page;
  const { language, path, visit, waitedSeconds, frameOrigins } = presentation;
  const view = page.viewOf(visit, waitedSeconds);
  const waits = view === 'waiting' || view === 'being_settled';
  const { words } = language;
  const heading = filled(words[VIEWS[view].heading], { shop: facts.shop });
  const notes = [
    page.isRefunded && !waits && view !== 'unheard' && words.refunded,
    page.hasUnmatched && view !== 'received' && words.further,
  ].map((note) => note && noteView(filled(note, { shop: facts.shop })));
  const isFinal = view === 'paid' || view === 'received' || view === 'expired';
  const leadsBack = !isFinal && view !== 'being_settled';
  return documentView({
    language,
    title: heading,
    isTest: facts.caller.mode === 'test',
    isEmbedded: frameOrigins !== undefined,
    refresh: refreshOf(page, presentation, view),
    data: {
      state,
      session: facts.session.id,
      watch: state === 'paid' ? undefined : `${path}/state`,
      waits: waits ? 'yes' : undefined,
      patience: view === 'waiting' ? String(PATIENCE_SECONDS) : undefined,
      expires: isFinal ? undefined : String(facts.session.expiresAt),
      origins: frameOrigins?.join(' ') || undefined,
    },
    content: html`${view !== 'open' && html`<p class="shop"><bdi>${facts.shop}</bdi></p>`}
${VIEWS[view].content(page, { ...presentation, heading })}
${notes}
${state !== 'expired' && orderView(page, language)}
${leadsBack && html`<p class="back">${backLink(page, presentation)}</p>`}`,
    footer: footerView(facts.details, words),
  });
}

const noteView = (text: string): Html => html`<section class="card">${text}</section>`;

/**
 * The page reloads, because another tab may pay while this one asks, or says that nothing was
 * charged.
 */
function refreshOf(
  { state }: CheckoutPage,
  { path, waitedSeconds }: Presentation,
  view: PageView,
): string | false {
  if (view === 'waiting') return `2;url=${path}/return?waited=${waitedSeconds + 2}`;
  if (view === 'being_settled') return '2';
  return (state === 'being_paid' || view === 'unheard') && '10';
}

const VIEWS: Readonly<Record<PageView, View>> = {
  open: { heading: 'title', content: openView },
  nothing_to_pay: { heading: 'nothingToPay', content: openView },
  asking: { heading: 'finished', content: askingView },
  waiting: { heading: 'beingPaid', content: waitingView },
  unheard: { heading: 'unheard', content: askingView },
  awaited: { heading: 'awaited', content: awaitedView },
  being_settled: { heading: 'paid', content: settlingView },
  paid: { heading: 'paid', content: paidView },
  received: { heading: 'paidMore', content: receivedView },
  expired: { heading: 'expired', content: expiredView },
};

function openView(page: CheckoutPage, shown: Shown): Html {
  const { words, locale } = shown.language;
  const { session } = page.facts;
  const amount = amountText(session.amountTotal, session.currency, locale);
  const isFree = page.state === 'nothing_to_pay';
  const isRepeat = shown.visit === 'cancel' && !isFree;
  return html`<section class="card">
<h1>${shown.heading}</h1>
<p class="amount"><bdi>${amount}</bdi></p>
${descriptionView(page)}
${isRepeat && html`<p class="alert" role="alert">${words.notCharged}</p>`}
${payForm(page, shown, isFree ? words.complete : filled(words.pay, { amount }))}
</section>`;
}

function descriptionView({ facts: { session } }: CheckoutPage): Html | null {
  return session.description
    ? html`<p class="description"><bdi>${session.description}</bdi></p>`
    : null;
}

/** The Pay button leaves a frame, because payment providers refuse to be framed. */
function payForm(page: CheckoutPage, presentation: Presentation, label: string, kind = ''): Html {
  const { payPath, frameOrigins, language } = presentation;
  const { words } = language;
  const { placeToPay, state, facts } = page;
  if (placeToPay === undefined && state !== 'nothing_to_pay') {
    return html`<p class="alert">${filled(words.noPlaceToPay, { shop: facts.shop })}</p>`;
  }
  const host =
    typeof placeToPay === 'object' && state !== 'nothing_to_pay' && new URL(placeToPay.url).host;
  const target = frameOrigins && html` target="_top"`;
  const button = html`<button class="${kind}">${label}</button>`;
  return html`<form method="post" action="${payPath}"${target}>${button}</form>
${host && html`<p class="muted">${filled(words.continueAt, { host })}</p>`}`;
}

/**
 * Asks a customer who left to pay and opens the link again. Only the customer knows yet whether the
 * payment was made.
 */
function askingView(page: CheckoutPage, shown: Shown): Html {
  const { language, path, visit, heading } = shown;
  const isBack = visit === 'return';
  const { words, locale } = language;
  const { shop, session } = page.facts;
  const { amountTotal, currency } = session;
  const amount = amountText(amountTotal, currency, locale);
  const answer = isBack
    ? html`<p>${filled(words.unheardMore, { shop })}</p>`
    : html`<a class="button" href="${path}/return">${words.finishedYes}</a>`;
  return html`<section class="card"><h1>${heading}</h1>
<p class="amount"><bdi>${amount}</bdi></p>
${answer}
${payForm(page, shown, filled(words.pay, { amount }), 'plain')}
</section>`;
}

function waitingView(_page: CheckoutPage, { language: { words }, path, heading }: Shown): Html {
  return html`<section class="card"><div role="status"><div class="wait"></div>
<h1>${heading}</h1><p>${words.beingPaidMore}</p></div>
<p class="muted"><a href="${path}">${words.notPaidYet}</a></p>
</section>`;
}

function awaitedView(page: CheckoutPage, { language, heading }: Shown): Html {
  const { words, locale } = language;
  const { shop, session } = page.facts;
  const until = timeText(session.expiresAt, locale);
  return html`<section class="card" role="status"><h1>${heading}</h1>
<p class="amount"><bdi>${amountText(session.amountTotal, session.currency, locale)}</bdi></p>
${descriptionView(page)}<p>${filled(words.awaitedMore, { shop, until })}</p></section>`;
}

function settlingView({ facts: { shop } }: CheckoutPage, { language, heading }: Shown): Html {
  const { words } = language;
  return html`<section class="card" role="status"><div class="wait"></div>
<h1>${heading}</h1><p>${filled(words.beingSettled, { shop })}</p></section>`;
}

const CHECK_MARK = html`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"
 fill="none" stroke="currentColor" stroke-width="2"><circle cx="12" cy="12" r="10"/>
<path d="m7.5 12.5 3 3 6-6.5" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

function paidView(page: CheckoutPage, { language, frameOrigins, heading }: Shown): Html {
  const { words } = language;
  const { shop, session } = page.facts;
  const more = session.amountTotal > 0 && html`<p>${filled(words.paidMore, { shop })}</p>`;
  const link = linkTo(page.onward, filled(words.onward, { shop }), frameOrigins, 'button');
  const title = html`${CHECK_MARK}<h1>${heading}</h1>`;
  return html`<section class="card">${title}${more}${descriptionView(page)}${link}</section>`;
}

function receivedView(page: CheckoutPage, shown: Shown): Html {
  const { shop } = page.facts;
  const { words } = shown.language;
  return html`<section class="card"><h1>${shown.heading}</h1>
<p>${filled(words.inTouch, { shop })}</p>${backLink(page, shown, 'button')}</section>`;
}

function expiredView(page: CheckoutPage, shown: Shown): Html {
  const { shop, isStarted, session } = page.facts;
  const { words } = shown.language;
  const mayBePaid = isStarted || session.originalExpiresAt !== null || shown.visit === 'return';
  const more = filled(mayBePaid ? words.expiredPaid : words.expiredMore, { shop });
  return html`<section class="card"><h1>${shown.heading}</h1>
<p>${more}</p>${backLink(page, shown, 'button')}</section>`;
}

function backLink(
  page: CheckoutPage,
  { language: { words }, frameOrigins }: Presentation,
  kind = '',
): Html | false {
  return linkTo(page.back, filled(words.back, { shop: page.facts.shop }), frameOrigins, kind);
}

function linkTo(
  url: string | null,
  label: string,
  frameOrigins: Presentation['frameOrigins'],
  kind: string,
) {
  return (
    url !== null &&
    html`<a class="${kind}" href="${url}"${frameOrigins && html` target="_top"`}>${label}</a>`
  );
}
