import { ARABIC } from './words/ar.js';
import { GERMAN } from './words/de.js';
import { ENGLISH, type Words } from './words/en.js';
import { SPANISH } from './words/es.js';
import { FRENCH } from './words/fr.js';
import { JAPANESE } from './words/ja.js';

const CATALOGUE: Readonly<Record<string, Words>> = {
  en: ENGLISH,
  de: GERMAN,
  fr: FRENCH,
  es: SPANISH,
  ja: JAPANESE,
  ar: ARABIC,
};

export interface Language {
  /** Of the words, as the `lang` of a document. */
  readonly code: string;
  readonly direction: 'ltr' | 'rtl';
  readonly words: Words;
  /** For amounts: it may be one that there are no words in. */
  readonly locale: string;
}

/** The language of a session, or the one that the browser asks for; English where there are no words. */
export function languageOf(locale: string | null, acceptLanguage = ''): Language {
  if (locale !== null && locale !== 'auto') return languageFor(locale);
  const asked = acceptLanguage
    .slice(0, 200)
    .split(',', 20)
    .map((one) => one.split(';', 1)[0]?.trim() ?? '');
  return languageFor(asked.find((tag) => Object.hasOwn(CATALOGUE, primaryOf(tag)) && isTag(tag)) ?? 'en');
}

function languageFor(locale: string): Language {
  const primary = primaryOf(locale);
  const code = Object.hasOwn(CATALOGUE, primary) ? primary : 'en';
  return { code, direction: code === 'ar' ? 'rtl' : 'ltr', words: CATALOGUE[code] as Words, locale };
}

const primaryOf = (tag: string): string => (tag.split('-', 1)[0] ?? '').toLowerCase();

function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** What is filled in keeps its own direction: the marks isolate it from the words around it. */
export function filled(words: string, fillings: Readonly<Record<string, string>>): string {
  return words.replaceAll(/\{(\w+)\}/g, (_, name: string) => `\u2068${fillings[name] ?? ''}\u2069`);
}
