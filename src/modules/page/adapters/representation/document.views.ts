import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ShopDetails } from '../../application/checkout-page.js';
import { Html, html } from './html.js';
import { type Language, languageOf } from './language.js';
import type { Words } from './words/en.js';

/**
 * Each page contains this style and script. The page's policy allows only these, by their hashes.
 */
export const STYLE = asset('page.css');
export const SCRIPT = asset('page.js');

/** The script reads these `data-…` attributes of the body. */
type Data = Readonly<Record<string, string | undefined>>;

export interface DocumentParts {
  readonly language: Pick<Language, 'code' | 'direction' | 'words'>;
  readonly title: string;
  readonly isTest: boolean;
  readonly isEmbedded?: boolean;
  /** A browser without scripts goes on after so many seconds, to a URL or by reloading the page. */
  readonly refresh?: string | false;
  readonly data?: Data;
  readonly content: Html;
  readonly footer?: Html | false;
}

const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">' +
    '<rect width="16" height="16" rx="4" fill="#0b57d0"/>' +
    '<path d="M4 6h8M4 10h5" stroke="#fff" stroke-width="2"/></svg>',
)}`;

export function documentView(parts: DocumentParts): string {
  const { title, isTest, isEmbedded, refresh, data = {}, content, footer } = parts;
  const { code, direction, words } = parts.language;
  const attributes = Object.entries(data).map(
    ([name, value]) => value !== undefined && html` data-${name}="${value}"`,
  );
  return html`<!doctype html>
<html lang="${code}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${ICON}">
${refresh && html`<noscript><meta http-equiv="refresh" content="${refresh}"></noscript>`}
<style>${STYLE.html}</style>
</head>
<body${isEmbedded && html` class="embedded"`}${attributes}>
${isTest && html`<header class="test"><strong>TEST</strong> ${words.test}</header>`}
<main>
${content}
</main>
${footer}
<script>${SCRIPT.html}</script>
</body>
</html>
`.text;
}

/**
 * Shows whom the customer can ask, and which terms apply. The links open another window, because
 * the page may wait or be in a frame.
 */
export function footerView(
  { contact, termsUrl, privacyUrl }: ShopDetails,
  words: Words,
): Html | false {
  const isEmail = contact !== null && !/^https:/i.test(contact);
  const links = [
    isEmail ? [mailto(contact), contact] : [contact, words.contact],
    [termsUrl, words.terms],
    [privacyUrl, words.privacy],
  ].filter(([url]) => url !== null);
  const shown = links.map(
    ([url, label]) => html` <a href="${url}" target="_blank" rel="noopener">${label}</a>`,
  );
  return shown.length > 0 && html`<footer>${shown}</footer>`;
}

/**
 * Makes a mailto URL. In it, a letter that a URL would read otherwise is percent-encoded, but the @
 * is not (RFC 6068 section 2).
 */
function mailto(address: string): string {
  const at = address.lastIndexOf('@');
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)].map(encodeURIComponent);
  return `mailto:${local}@${domain}`;
}

export function missingPageView(status: number, acceptLanguage: string | undefined): string {
  const language = languageOf(null, acceptLanguage);
  const { words } = language;
  const [title, more] = [404, 410].includes(status)
    ? [words.missing, words.missingMore]
    : [words.trouble, words.troubleMore];
  return documentView({
    language,
    title,
    isTest: false,
    content: html`<section class="card"><h1>${title}</h1><p>${more}</p></section>`,
  });
}

function asset(name: string): { readonly html: Html; readonly source: string } {
  const text = readFileSync(new URL(`./browser/${name}`, import.meta.url), 'utf8');
  return {
    html: new Html(text),
    source: `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  };
}
