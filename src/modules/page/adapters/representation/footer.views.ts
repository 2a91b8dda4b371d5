import type { ShopDetails } from '../../domain/checkout-page.js';
import { type Html, html } from './html.js';
import type { Words } from './words/en.js';

/** Whom the customer can ask, and on which terms. The links open another window, because the page may wait or be in a frame. */
export function footerView({ contact, termsUrl, privacyUrl }: ShopDetails, words: Words): Html | false {
  const isEmail = contact !== null && !contact.includes(':');
  const links = [
    [isEmail ? `mailto:${contact}` : contact, isEmail ? contact : words.contact],
    [termsUrl, words.terms],
    [privacyUrl, words.privacy],
  ].filter(([url]) => url !== null);
  const shown = links.map(([url, label]) => html` <a href="${url}" target="_blank" rel="noopener">${label}</a>`);
  return shown.length > 0 && html`<footer>${shown}</footer>`;
}
