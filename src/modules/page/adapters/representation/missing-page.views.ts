import { documentView } from './document.views.js';
import { html } from './html.js';
import { languageOf } from './language.js';

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
