/**
 * These are format characters, fillers, variation selectors and the blank of Braille. All of them
 * look like nothing.
 */
export const INVISIBLE = /[\p{Cf}\p{DI}\u2800]/u;

export const isVisible = (text: string): boolean =>
  /[^\s\p{Z}\p{Cc}\p{Cf}\p{DI}\u2800]/u.test(text);
