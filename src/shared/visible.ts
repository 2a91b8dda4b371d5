/**
 * These look like nothing: format characters, fillers, variation selectors, code points that are no
 * characters, and signs whose picture is empty, such as the blank of Braille.
 */
const EMPTY_PICTURES = String.raw`\u2800\ufffc\u{13441}\u{13442}\u{16fe4}\u{1d159}`;
const NOTHING = String.raw`\p{Cf}\p{Cs}\p{DI}\p{NChar}${EMPTY_PICTURES}`;

export const INVISIBLE = new RegExp(`[${NOTHING}]`, 'u');

const VISIBLE = new RegExp(String.raw`[^\s\p{Z}\p{Cc}${NOTHING}]`, 'u');

export const isVisible = (text: string): boolean => VISIBLE.test(text);
