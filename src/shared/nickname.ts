/** People are told apart by these names: RFC 8266, the PRECIS profile of nicknames. */
import { foldCase } from './letter-case.js';
import { INVISIBLE, isVisible } from './visible.js';

const SPACES = /\p{White_Space}+/gu;
const SPACE_AT_AN_END = /^\p{White_Space}|\p{White_Space}$/u;
const LINE_BREAK_OR_CONTROL = /[\p{Zl}\p{Zp}\p{Cc}]/u;
const UNSEEN = new RegExp(`${INVISIBLE.source}|(?!\\p{White_Space})\\p{Cc}`, 'gu');

/** RFC 8266 section 2.3: the rules are applied until they change nothing, at most four times. */
const MAX_PASSES = 4;

/**
 * Tells whether the text is a name: visible throughout, in one line and without spaces at its ends.
 */
export function isNickname(text: string): boolean {
  const isHidden = INVISIBLE.test(text) || LINE_BREAK_OR_CONTROL.test(text);
  return isVisible(text) && !isHidden && !SPACE_AT_AN_END.test(text);
}

/**
 * These invisible characters are part of how a name is spelled in Arabic and Indic scripts (RFC
 * 5892 appendices A.1 and A.2).
 */
const JOINERS =
  /(?<=\p{M})[\u200c\u200d](?=\p{L})|(?<=\p{Script=Arabic})\u200c(?=\p{Script=Arabic})/gu;

/** Tells whether the text is a name, which may have joiners where its script needs them. */
export const isPersonName = (text: string): boolean => isNickname(text.replace(JOINERS, ''));

/**
 * Tells whether two names are one person's: compatible characters (NFKC), the two cases of a letter
 * and runs of spaces are the same. Names from before isNickname() may hold invisible characters,
 * which count as nothing.
 */
export function isSamePerson(one: string, other: string): boolean {
  return compared(one) === compared(other);
}

function compared(name: string): string {
  let text = name;
  for (let pass = 0; pass < MAX_PASSES; pass++) text = comparedOnce(text);
  return text;
}

function comparedOnce(text: string): string {
  const seen = text.normalize('NFKC').replace(UNSEEN, '');
  return foldCase(seen).normalize('NFKC').replace(SPACES, ' ').trim();
}
