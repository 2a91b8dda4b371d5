import { SCRIPT, STYLE } from './assets.js';
import { Html, html } from './html.js';
import type { Language } from './language.js';

/** The `data-…` attributes of the body, which the script reads. */
type Data = Readonly<Record<string, string | undefined>>;

export interface DocumentParts {
  readonly language: Pick<Language, 'code' | 'direction' | 'words'>;
  readonly title: string;
  readonly isTest: boolean;
  readonly isEmbedded?: boolean;
  /** When and where a browser without scripts goes on: seconds, and a URL unless it reloads the page. */
  readonly refresh?: string | false;
  readonly data?: Data;
  readonly content: Html;
  readonly footer?: Html | false;
}

const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0b57d0"/><path d="M4 6h8M4 10h5" stroke="#fff" stroke-width="2"/></svg>',
)}`;

export function documentView(parts: DocumentParts): string {
  const { title, isTest, isEmbedded, refresh, data = {}, content, footer } = parts;
  const { code, direction, words } = parts.language;
  const attributes = Object.entries(data).map(([name, value]) => value !== undefined && html` data-${name}="${value}"`);
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
