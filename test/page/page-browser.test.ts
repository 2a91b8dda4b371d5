/** A real browser shows the page in each of its states. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { filled, languageOf } from '../../src/modules/page/adapters/representation/language.js';
import type { Words } from '../../src/modules/page/adapters/representation/words/en.js';
import { PublicUrl } from '../../src/request/public-url.js';
import { uuidOf } from '../../src/shared/id.js';
import { useService, useShop } from '../kit/setup.js';
import { describeInChromium } from '../support/browser.js';
import type { Reply } from '../support/client.js';
import { openPage, setPaymentUrl } from '../support/page.js';
import {
  CART,
  customerIn,
  DESKTOP,
  FREE,
  NAME,
  PHONE,
  type Provider,
  startProvider,
} from '../support/page-browser.js';

describeInChromium('the page in Chromium', (browser) => {
  const service = useService();
  const shop = useShop(service);
  let provider: Provider;

  beforeAll(async () => {
    service.application.get(PublicUrl).value = service.url;
    provider = await startProvider();
  });

  beforeEach(() =>
    service.sql.query('UPDATE organizations SET name = $1, contact = $2, terms_url = $3', [
      NAME,
      'help@shop.example',
      'https://shop.example/terms',
    ]),
  );

  afterAll(() => provider.close());

  const expire = (id: string) =>
    service.sql.query('UPDATE checkout_sessions SET expires_at = now() WHERE id = $1', [
      uuidOf(id),
    ]);

  const STATES: Readonly<Record<string, () => Promise<string>>> = {
    open: async () => (await openPage(shop, CART)).path,
    nothing_to_pay: async () => (await openPage(shop, FREE)).path,
    pretend: async () => `${(await openPage(shop, CART)).path}/pretend`,
    paid: async () => {
      const { id, path } = await openPage(shop, CART);
      await shop.record({ amount: 10_100, currency: 'eur', checkout_session: id });
      return path;
    },
    received: async () => {
      const { id, path } = await openPage(shop, CART);
      await shop.record({
        amount: 1,
        currency: 'eur',
        checkout_session: id,
        on_mismatch: 'record',
      });
      return path;
    },
    arabic: async () => (await openPage(shop, { ...CART, locale: 'ar-EG' })).path,
    japanese: async () => (await openPage(shop, { ...CART, locale: 'ja' })).path,
  };

  describe.each(Object.keys(STATES))('the page in the state %s', (state) => {
    test.each([
      ['desktop', { viewport: DESKTOP }],
      ['phone', { viewport: PHONE, colorScheme: 'dark' as const }],
    ])('is shown without errors on a %s', async (_, options) => {
      const path = await (STATES[state] as () => Promise<string>)();
      const customer = await customerIn(browser(), service.url, options);
      await customer.page.goto(`${service.url}${path}`);
      await customer.expectUndisturbed();
      await customer.close();
    });
  });

  const ask = (name: RegExp | string) => ({ name, exact: typeof name === 'string' });

  test('lets a customer pay with the keyboard only', async () => {
    const { id, path } = await openPage(shop, { ...CART, success_url: null });
    const { page, close } = await customerIn(browser(), service.url);
    const focused = () => page.evaluate('document.activeElement.textContent');
    await page.goto(`${service.url}${path}`);
    await page.keyboard.press('Tab');
    expect(await focused()).toMatch(/^Pay/);
    await page.keyboard.press('Enter');
    await page.getByRole('button', ask('Walk away')).waitFor();
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Pay');
    await page.keyboard.press('Space');
    await page.getByRole('heading', ask('Thank you for your order')).waitFor();
    expect((await shop.get(`/v1/checkout_sessions/${id}`)).body.status).toBe('complete');
    await close();
  });

  /**
   * A visit is what a customer does and sees beside a provider, in the words of a language, with
   * scripts or without.
   */
  interface Visit {
    readonly page: Page;
    readonly words: Words;
    readonly id: string;
    /** Opens the page, presses Pay, and comes back by an address that the provider was given. */
    pay(back?: 'return' | 'cancel'): Promise<void>;
    open(): Promise<unknown>;
    press(role: 'button' | 'link', name?: string): Promise<void>;
    /** Waits for the page with a text, and expects that nothing went wrong in it. */
    sees(text: string): Promise<void>;
    /** Waits for a page of the provider or the shop. */
    arrives(at: 'Provider' | 'Shop', tab?: Page): Promise<void>;
    captured(): Promise<Reply>;
    /**
     * Lets two minutes pass for a customer who has come back. Without scripts, it skips to the last
     * two seconds.
     */
    endPatience(): Promise<unknown>;
  }

  const ROWS: Readonly<Record<string, (visit: Visit) => Promise<unknown>>> = {
    'leads a customer who has paid to the shop, and then shows thanks': async ({
      page,
      words,
      id,
      pay,
      press,
      open,
      sees,
      arrives,
      captured,
    }) => {
      await pay();
      const { body: payment } = await captured();
      await press('link', 'return');
      await arrives('Shop');
      await open();
      await sees(words.paid);
      for (const text of [words.date, words.reference, words.payment, id, payment.id])
        await page.getByText(text, { exact: true }).waitFor();
    },
    'waits for a late payment and goes on, in a second tab too': async ({
      page,
      words,
      pay,
      sees,
      arrives,
      captured,
    }) => {
      await pay('return');
      await sees(words.beingPaid);
      const other = await page.context().newPage();
      await other.goto(page.url());
      await captured();
      for (const tab of [page, other]) await arrives('Shop', tab);
    },
    'tells a declined customer that nothing was charged, and can be paid': async ({
      words,
      pay,
      press,
      sees,
      arrives,
    }) => {
      await pay('cancel');
      await sees(words.notCharged);
      await press('button');
      await arrives('Provider');
    },
    'asks a customer who comes by Back or the link again, with both ways open': async ({
      page,
      words,
      pay,
      press,
      open,
      sees,
    }) => {
      await pay();
      await page.goBack();
      await sees(words.finished);
      await open();
      await press('link', words.finishedYes);
      await sees(words.beingPaid);
      await press('link', words.notPaidYet);
      await sees(words.finished);
    },
    'shows that it is paid when Pay is pressed in an older tab': async ({
      words,
      press,
      open,
      sees,
      captured,
    }) => {
      await open();
      await captured();
      await press('button');
      await sees(words.paid);
    },
    'tells after two minutes that no payment was heard of, and can be paid': async (visit) => {
      const { page, words, pay, press, sees, arrives, captured, endPatience } = visit;
      await page.clock.install();
      await pay('return');
      await sees(words.beingPaid);
      await endPatience();
      await sees(words.unheard);
      await page.getByRole('link', { name: 'help@shop.example' }).waitFor();
      await press('button');
      await arrives('Provider');
      await press('link', 'return');
      await sees(words.beingPaid);
      await endPatience();
      await sees(words.unheard);
      await captured();
      await arrives('Shop');
    },
    'follows in a canceled tab when another tab pays': async ({ words, pay, sees, captured }) => {
      await pay('cancel');
      await sees(words.notCharged);
      await captured();
      await sees(words.paid);
    },
    'leads back to the shop when Pay is pressed after the expiry': async ({
      words,
      id,
      press,
      open,
      sees,
      arrives,
    }) => {
      await open();
      await expire(id);
      await press('button');
      await sees(words.expiredMore);
      await press('link', filled(words.back, { shop: NAME }));
      await arrives('Shop');
    },
  };

  describe.each([
    ['en', true, DESKTOP],
    ['en', false, PHONE],
    ['de', true, PHONE],
    ['de', false, DESKTOP],
  ])(
    'the page beside a provider, in %s, with scripts: %s',
    (locale, javaScriptEnabled, viewport) => {
      test.each(Object.entries(ROWS))('%s', async (_, visit) => {
        const urls = {
          success_url: `${provider.shop}/thanks`,
          cancel_url: `${provider.shop}/cart`,
        };
        const { id, path } = await openPage(shop, { ...CART, ...urls, locale });
        await setPaymentUrl(service, shop, provider.url);
        const customer = await customerIn(browser(), service.url, {
          javaScriptEnabled,
          locale,
          viewport,
        });
        const { page } = customer;
        const open = () => page.goto(`${service.url}${path}`);
        const press = (role: 'button' | 'link', name = '') =>
          page.getByRole(role, { name }).first().click();
        const arrives = (name: string, tab = page) => tab.getByRole('heading', { name }).waitFor();
        const pay = async (back?: string) => {
          await open();
          await press('button');
          await arrives('Provider');
          if (back) await press('link', back);
        };
        const sees = async (text: string) => {
          await page
            .getByText(filled(text, { shop: NAME }))
            .first()
            .waitFor();
          await customer.expectUndisturbed(provider.hosts);
        };
        const captured = () =>
          shop.record({ amount: 10_100, currency: 'eur', checkout_session: id });
        const endPatience = () =>
          javaScriptEnabled
            ? page.clock.fastForward('02:00')
            : page.goto(`${service.url}${path}/return?waited=118`);
        const { words } = languageOf(locale);
        await visit({ page, words, id, open, press, arrives, pay, sees, captured, endPatience });
        await customer.close();
      });
    },
  );
});
