/**
 * These tests make every page that a customer can see, from what was recorded and refunded and how
 * the customer came. They compare each page with the rules of docs/reference/api.md.
 */
import { expect, test } from '@jest/globals';
import { checkoutPageView } from '../../src/modules/page/adapters/representation/checkout-page.views.js';
import { filled, languageOf } from '../../src/modules/page/adapters/representation/language.js';
import type { Words } from '../../src/modules/page/adapters/representation/words/en.js';
import {
  CheckoutPage,
  type RecordedPayment,
  type Visit,
} from '../../src/modules/page/application/checkout-page.js';

const NOW = 1_763_700_000_000;
const UNTIL = 'November 21, 2025 at 4:40 AM UTC';
const SHOP = 'Teapots';
const [ONWARD, BACK, CONTACT] = [
  'https://shop.example/thanks',
  'https://shop.example/cart',
  'help@shop.example',
];

const CHOICES = {
  status: ['open', 'complete', 'expired'],
  amountTotal: [0, 1000],
  /** The payment that completed the session is missing, was kept or was refunded. */
  matching: ['none', 'kept', 'refunded'],
  /** The payments that did not complete it were kept or refunded. */
  others: [[], ['kept'], ['refunded'], ['refunded', 'kept']],
  isStarted: [false, true],
  isAwaited: [false, true],
  acknowledged: ['yes', 'just now', 'never'],
  visit: ['link', 'cancel', 'return'],
  waited: [119, 120],
  isEmbedded: [false, true],
} as const;
type Case = { readonly [Name in keyof typeof CHOICES]: (typeof CHOICES)[Name][number] };

const CASES = Object.entries(CHOICES).reduce<Readonly<Record<string, unknown>>[]>(
  (cases, [name, values]) =>
    cases.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
  [{}],
) as unknown as readonly Case[];

/**
 * A session is paid if and only if a matching payment exists for it. Only a complete session waits
 * for the merchant.
 */
const isPossible = ({ status, amountTotal, matching, acknowledged }: Case) =>
  (matching !== 'none') === (status === 'complete' && amountTotal > 0) &&
  (status === 'complete' || acknowledged === 'yes');

function shown({ visit, waited, isEmbedded, ...of }: Case, locale = 'en'): string {
  const { status, amountTotal, matching, others, isStarted, isAwaited, acknowledged } = of;
  const payments: RecordedPayment[] = others.map((came) => payment(false, came === 'refunded'));
  if (matching !== 'none') payments.push(payment(true, matching === 'refunded'));
  const urls = { successUrl: ONWARD, cancelUrl: BACK, returnUrl: ONWARD };
  const amounts = {
    amountSubtotal: amountTotal,
    amountDiscount: 0,
    amountShipping: 0,
    amountTax: 0,
    amountTotal,
  };
  const about = {
    description: null,
    locale: 'en',
    expiresAt: NOW / 1000,
    lineItems: [],
    lineCount: 0,
    lineDiscount: 0,
    originalExpiresAt: isAwaited ? 1 : null,
    currency: 'usd',
    isRedacted: false,
    uniqueReference: null,
  };
  const unread = {
    paymentStatus: 'unpaid',
    awaits: 0,
    notifyUrl: null,
    customerEmail: null,
    metadata: {},
  } as const;
  const uiMode = isEmbedded ? ('embedded' as const) : ('hosted' as const);
  const facts = {
    caller: { organization: 'org_1', mode: 'live' as const },
    session: {
      id: 'cs_live_1',
      mode: 'live' as const,
      uiMode,
      status,
      ...amounts,
      ...urls,
      ...about,
      ...unread,
    },
    url: 'https://pay.example/c/1',
    shop: SHOP,
    details: { contact: CONTACT, termsUrl: null, privacyUrl: null },
    paymentUrl: 'https://psp.example/{CHECKOUT_SESSION_ID}',
    isStarted,
    payments,
    unacknowledgedSince: { yes: undefined, 'just now': NOW - 4_999, never: NOW - 5_000 }[
      acknowledged
    ],
  };
  const frameOrigins = isEmbedded ? ['https://shop.example'] : undefined;
  const presentation = {
    language: languageOf(locale),
    path: '/c/1',
    payPath: '/c/1/pay',
    visit: visit as Visit,
    waitedSeconds: waited,
    frameOrigins,
  };
  return checkoutPageView(new CheckoutPage(facts, NOW), presentation);
}

const payment = (isMatching: boolean, isRefunded: boolean): RecordedPayment => ({
  id: 'pay_live_01kaf3v7q4e8yt5w6z9x2c1b0n',
  isMatching,
  isRefunded,
});

/**
 * Each rule has a sentence or control of the page, and tells when a customer must see it. No other
 * page may have it.
 */
const { words } = languageOf('en');
const says = (name: keyof Words) => filled(words[name], { shop: SHOP });
const isOutstanding = ({ others }: Case) => others.some((came) => came === 'kept');
const isPaid = ({ status }: Case) => status === 'complete';
const isSettling = (it: Case) => isPaid(it) && it.acknowledged === 'just now';
const isOpen = (it: Case) => it.status === 'open' && !isOutstanding(it);
const isFree = (it: Case) => isOpen(it) && it.amountTotal === 0;
const isAwaited = (it: Case) => isOpen(it) && it.amountTotal > 0 && it.isAwaited;
const isDue = (it: Case) => isOpen(it) && it.amountTotal > 0 && !it.isAwaited;
const isWaiting = (it: Case) => isDue(it) && it.visit === 'return' && it.waited < 120;
const isUnheard = (it: Case) => isDue(it) && it.visit === 'return' && it.waited >= 120;
const isAsked = (it: Case) => isDue(it) && it.visit === 'link' && it.isStarted;
const isClosed = (it: Case) => it.status === 'expired' && !isOutstanding(it);
const isAllBack = (it: Case) =>
  it.matching === 'none' ? it.others.length > 0 && !isOutstanding(it) : it.matching === 'refunded';

const title = (name: keyof Words) => `<title>${says(name)}</title>`;
const isAsking = (it: Case) => isWaiting(it) || isUnheard(it) || isAsked(it);

const RULES: Readonly<Record<string, readonly [text: string, (it: Case) => boolean]>> = {
  'the title of a paid page says so': [title('paid'), isPaid],
  'the title asks to pay only where paying is possible': [
    title('title'),
    (it) => isDue(it) && !isAsking(it),
  ],
  'the title of a free order says so': [title('nothingToPay'), isFree],
  'the title says that a payment is confirmed': [title('beingPaid'), isWaiting],
  'the title says that no payment is known': [title('unheard'), isUnheard],
  'the title asks a customer who comes by the link': [title('finished'), isAsked],
  'the title says that money is on its way': [title('awaited'), isAwaited],
  'the title says that money was received': [
    title('paidMore'),
    (it) => !isPaid(it) && isOutstanding(it),
  ],
  'the title of an expired page says so': [title('expired'), isClosed],
  'a paid session stays paid, whatever else was recorded': [`<h1>${words.paid}</h1>`, isPaid],
  'the paid page leads on to the shop': [
    `class="button" href="${ONWARD}"`,
    (it) => isPaid(it) && !isSettling(it),
  ],
  'the state of a paid page tells the frame `complete`': [
    'data-state="paid"',
    (it) => isPaid(it) && !isSettling(it),
  ],
  'the page waits five seconds for the merchant': [says('beingSettled'), isSettling],
  'the page names a further payment': [says('further'), (it) => isPaid(it) && isOutstanding(it)],
  'the page names money that does not match': [
    says('inTouch'),
    (it) => !isPaid(it) && isOutstanding(it),
  ],
  'the page names money that came back': [
    says('refunded'),
    (it) => isAllBack(it) && !isSettling(it) && !isWaiting(it) && !isUnheard(it),
  ],
  'the page confirms a payment for two minutes to a customer who says so': [
    words.beingPaid,
    isWaiting,
  ],
  'the page says after that time that no payment was heard of': [words.unheard, isUnheard],
  'the page tells nobody to pay again who may have paid': [says('unheardMore'), isUnheard],
  'the page asks a customer who comes by the link': [words.finished, isAsked],
  'the page says that a customer who gave up was not charged': [
    words.notCharged,
    (it) => isDue(it) && it.visit === 'cancel',
  ],
  'an amount that is due can be paid, unless it is being confirmed or on its way': [
    'action="/c/1/pay"',
    (it) => isOpen(it) && !isWaiting(it) && !isAwaited(it),
  ],
  'the page says until when money is on its way': [
    filled(words.awaitedMore, { shop: SHOP, until: UNTIL }),
    isAwaited,
  ],
  'a free order needs no payment': [words.nothingToPay, isFree],
  'the page says that a session has expired': [words.expired, isClosed],
  'the page tells nobody to start again who may have paid': [
    says('expiredPaid'),
    (it) => isClosed(it) && (it.isStarted || it.isAwaited || it.visit === 'return'),
  ],
  'a customer who has not paid can start again': [
    says('expiredMore'),
    (it) => isClosed(it) && !it.isStarted && !it.isAwaited && it.visit !== 'return',
  ],
  'every page but a paid one offers a way back': [`href="${BACK}"`, (it) => !isPaid(it)],
  'every page names a contact': [`href="mailto:${CONTACT}"`, () => true],
  'every page but a paid one watches the state': [
    'data-watch="/c/1/state"',
    (it) => !isPaid(it) || isSettling(it),
  ],
  'a waiting page reloads itself without scripts until its time is over': [
    'content="2;url=/c/1/return?waited=',
    isWaiting,
  ],
  'a tab follows another one that pays without scripts': [
    'content="10"',
    (it) => isDue(it) && !isWaiting(it) && (it.isStarted || isUnheard(it)),
  ],
};

test.each(['de', 'fr', 'es', 'ja', 'ar'])(
  'gives the page in %s the heading as its title too',
  (locale) => {
    const different = POSSIBLE.filter((it) => {
      const page = shown(it, locale);
      const [, heading] = /<h1>([^<]+)</.exec(page) ?? [];
      return !heading || !page.includes(`<title>${heading}</title>`);
    });
    expect(different.slice(0, 3)).toEqual([]);
  },
);

const POSSIBLE = CASES.filter(isPossible);

test('covers pages of every kind', () => {
  expect(POSSIBLE.length).toBeGreaterThan(1_000);
  for (const [, isTrue] of Object.values(RULES)) expect(POSSIBLE.some(isTrue)).toBe(true);
});

test.each(Object.entries(RULES))('%s', (_, [text, isTrue]) => {
  const wrong = POSSIBLE.filter((it) => PAGES.get(it)?.includes(text) !== isTrue(it));
  expect(wrong.slice(0, 3)).toEqual([]);
});

const PAGES = new Map(POSSIBLE.map((it) => [it, shown(it)]));
