/**
 * Returns the same text for both cases of its letters. JavaScript has no case folding of Unicode,
 * so these are the capitals of small letters: ẞ and ß become SS, and all forms of sigma become one.
 * A dotless ı is a letter of its own.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().replace(/[^ı]+/gu, (letters) => letters.toUpperCase());
}
