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
  /** This is the locale of the amounts. It may be one without words of its own. */
  readonly locale: string;
}

/**
 * Returns the session's language or, without one, the browser's. It is English if there are no
 * words in that language.
 */
export function languageOf(locale: string | null, acceptLanguage = ''): Language {
  const isGiven = locale !== null && locale !== 'auto';
  return languageFor(isGiven ? locale : preferredLocale(acceptLanguage));
}

const CODES = Object.keys(CATALOGUE);
const MOST_RANGES = 20;
const RANGE = /^\s*(\*|[a-z\d-]{1,35})\s*(?:;\s*q=(0(?:\.\d*)?|1(?:\.0*)?)\s*)?$/i;

/**
 * Chooses the preferred language by RFC 9110 section 12.5.4: weights come before order, a weight of
 * 0 refuses, and `*` is any language that is not named.
 */
function preferredLocale(acceptLanguage: string): string {
  const ranges = acceptLanguage.split(',', MOST_RANGES).flatMap(rangeOf);
  const named = ranges.map(({ tag }) => tag);
  const refused = ranges.filter(({ weight }) => weight === 0).map(({ tag }) => tag);
  const wanted = ranges
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
    .map(({ tag }) => (tag === '*' ? CODES.find((code) => !named.includes(code)) : tag));
  const preferred = wanted.find((tag) => tag !== undefined && hasWords(tag));
  return preferred ?? CODES.find((code) => !refused.includes(code)) ?? 'en';
}

const hasWords = (tag: string): boolean => Object.hasOwn(CATALOGUE, primaryOf(tag)) && isTag(tag);

/** Reads a language range and its weight. The result is empty if the text is malformed. */
function rangeOf(text: string): readonly { readonly tag: string; readonly weight: number }[] {
  const [, tag, weight = '1'] = RANGE.exec(text) ?? [];
  return tag === undefined ? [] : [{ tag: tag.toLowerCase(), weight: Number(weight) }];
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

/**
 * Fills the placeholders. The marks isolate each value, so that it keeps its own text direction.
 */
export function filled(words: string, fillings: Readonly<Record<string, string>>): string {
  return words.replaceAll(/\{(\w+)\}/g, (_, name: string) => `\u2068${fillings[name] ?? ''}\u2069`);
}
