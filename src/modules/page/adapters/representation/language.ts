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
  readonly code: string;
  readonly direction: 'ltr' | 'rtl';
  readonly words: Words;
  /** Locale of the amounts. It may be one without words of its own. */
  readonly locale: string;
}

/** The session's language or, without one, the browser's. English if there are no words in that language. */
export function languageOf(locale: string | null, acceptLanguage = ''): Language {
  if (locale !== null && locale !== 'auto') return languageFor(locale);
  const asked = acceptLanguage
    .slice(0, 200)
    .split(',', 20)
    .map((one) => one.split(';', 1)[0]?.trim() ?? '');
  return languageFor(
    asked.find((tag) => Object.hasOwn(CATALOGUE, primaryOf(tag)) && isTag(tag)) ?? 'en',
  );
}

function languageFor(locale: string): Language {
  const primary = primaryOf(locale);
  const code = Object.hasOwn(CATALOGUE, primary) ? primary : 'en';
  return {
    code,
    direction: code === 'ar' ? 'rtl' : 'ltr',
    words: CATALOGUE[code] as Words,
    locale,
  };
}

const primaryOf = (tag: string): string => (tag.split('-', 1)[0] ?? '').toLowerCase();

function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** Fills the placeholders. The marks isolate each value, so that it keeps its own text direction. */
export function filled(words: string, fillings: Readonly<Record<string, string>>): string {
  return words.replaceAll(/\{(\w+)\}/g, (_, name: string) => `\u2068${fillings[name] ?? ''}\u2069`);
}
